"""Calls merged and sent in batches."""
