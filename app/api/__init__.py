"""The HTTP edge: routes without logic, one shape of errors, limits."""
