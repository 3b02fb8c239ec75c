"""Frozen values, settings, errors and pure helpers that every room may use."""
