"""Calls merged and sent in batches over one connection."""
