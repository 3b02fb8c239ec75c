"""The HTTP layer of the console."""
