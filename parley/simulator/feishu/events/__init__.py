"""How events reach the app: the long connection, and pressed buttons."""
