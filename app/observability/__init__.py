"""Structured logs and one registry of counters and timings."""

from app.observability.logging import configure_logging, failure_fields, redact
from app.observability.metrics import Metrics, MetricsSnapshot

__all__ = ["Metrics", "MetricsSnapshot", "configure_logging", "failure_fields", "redact"]
