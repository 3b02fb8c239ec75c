"""Commands in chat."""
