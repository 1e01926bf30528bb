"""The dimensions of an answer: one file each, found by the registry."""
