"""Real conversations against a real server on this machine, with an account of every single request."""
