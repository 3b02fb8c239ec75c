"""Replies on their way to a platform."""
