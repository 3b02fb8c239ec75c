"""The built-in web chat: a platform of our own, served to a browser."""
