"""Markdown read once, by pyromark, for all platforms: as a tree to draw, and as an outline of its source."""
