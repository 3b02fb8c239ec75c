"""Import of memories from other layouts."""
