"""The only stage that reads the user's words."""

from app.understanding.offline import OfflineUnderstander

__all__ = ["OfflineUnderstander"]
