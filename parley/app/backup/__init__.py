"""A copy of everything that Parley keeps, made while it runs, and brought back."""
