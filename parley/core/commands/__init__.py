"""Commands people type: one table of small functions."""
