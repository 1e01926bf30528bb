"""A chat behind a one-time password: REST calls to log in and ask, a WebSocket that the answer comes through."""
