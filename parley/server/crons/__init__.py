"""Crons: runs that are made by the clock."""
