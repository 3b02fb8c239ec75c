"""Lanes, catch-up, poison, remote stop."""
