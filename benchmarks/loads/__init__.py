"""Loads that run in processes of their own, and what Parley is compared with."""
