"""Parley itself on PostgreSQL."""
