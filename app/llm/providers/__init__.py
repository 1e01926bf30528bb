"""One provider a file, found by its `PROVIDER`. Its library is imported when it is built, not before."""
