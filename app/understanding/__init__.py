"""The only stage that reads the user's words."""

from app.understanding.offline import OfflineUnderstander
from app.understanding.query import labels

__all__ = ["OfflineUnderstander", "labels"]
