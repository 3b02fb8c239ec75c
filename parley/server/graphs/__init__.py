"""Graphs by name, and the projects that they are imported from."""
