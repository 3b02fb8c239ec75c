"""Feedback on answers."""
