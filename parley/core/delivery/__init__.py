"""Replies on their way to a platform: pacing, retries, counts."""
