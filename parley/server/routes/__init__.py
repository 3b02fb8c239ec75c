"""The server's routes, by what they are about."""
