"""Language models as judges of answers: asked carefully, paid for knowingly, trusted only after a test."""
