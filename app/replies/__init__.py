"""The words of a reply. No stage reads them back to learn what happened."""

from app.replies.templates import TemplateReplier

__all__ = ["TemplateReplier"]
