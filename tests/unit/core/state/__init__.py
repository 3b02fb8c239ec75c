"""Durable records."""
