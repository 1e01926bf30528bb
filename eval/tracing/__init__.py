"""Shows graded cases in a tracing service, for those who want it: off by default, and never in the way."""
