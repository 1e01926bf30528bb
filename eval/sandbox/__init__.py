"""A retail-analytics assistant over generated data: the workbench's second target. See docs/sandbox.md."""
