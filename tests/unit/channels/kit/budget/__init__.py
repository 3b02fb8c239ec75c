"""One budget for all replies of a channel."""
