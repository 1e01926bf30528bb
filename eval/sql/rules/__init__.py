"""One rule a module, found by the registry through its `RULE`."""
