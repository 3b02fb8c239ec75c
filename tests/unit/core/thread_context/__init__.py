"""Messages above a mention: chosen, framed, and read once."""
