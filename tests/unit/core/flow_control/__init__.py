"""Bounds on how much is under way."""
