"""What the servers serve."""
