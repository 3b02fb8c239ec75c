"""Channels, leases and nodes."""
