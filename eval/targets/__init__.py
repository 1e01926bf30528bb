"""What is known of each assistant that can be graded: one module each, found by the registry."""
