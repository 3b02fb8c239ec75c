"""Backups, made and brought back."""
