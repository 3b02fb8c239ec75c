"""Conversations on each platform, and what a platform does wrong."""
