"""Commands that look after what is kept."""
