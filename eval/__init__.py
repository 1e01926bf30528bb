"""Measures the recommender: replay, recall, probes, laws, report. Start with `python -m eval --help`."""
