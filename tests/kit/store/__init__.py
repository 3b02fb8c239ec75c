"""A store in tests: what is in it, who uses it, and when it answers."""
