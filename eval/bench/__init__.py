"""Measures speed, memory and size of the service. Start with `make bench`; new measurements go to measures.py."""
