"""Export and erasure."""
