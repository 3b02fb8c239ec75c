"""What the core asks of the packages around it: protocols, and their values."""
