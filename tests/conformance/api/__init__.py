"""More of the API than Parley itself asks for."""
