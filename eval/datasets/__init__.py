"""Where cases come from: one loader per source."""

from eval.datasets.conversations import CONVERSATIONS, load_conversations, parse_conversation
from eval.datasets.traces import Resolver, load_traces, parse_trace

__all__ = [
    "CONVERSATIONS",
    "Resolver",
    "load_conversations",
    "load_traces",
    "parse_conversation",
    "parse_trace",
]
