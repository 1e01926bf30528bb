"""The figures of an answer, held against figures that are computed again."""
