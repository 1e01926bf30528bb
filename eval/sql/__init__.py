"""Audit of SQL that an assistant wrote: is it a read, does it mean what was asked, does it double count."""
