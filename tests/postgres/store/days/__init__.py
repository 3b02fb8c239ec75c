"""Finished items and names in partitions by day."""
