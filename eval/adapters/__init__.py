"""Ways to the target: one file each, found by the registry."""
