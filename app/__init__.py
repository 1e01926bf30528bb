"""A stateless recommender: from a hiring need to a grounded shortlist of SHL assessments."""

__version__ = "0.1.0"
