"""Memories of other layouts, imported."""
