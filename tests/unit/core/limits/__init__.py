"""Usage limits."""
