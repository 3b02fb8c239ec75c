"""One turn, from claimed messages to a committed reply."""
