"""Past conversations: turns that are over, kept by day in the store, and found by the one word search."""
