"""Configurations, good and wrong."""
