"""Bounds on how much is under way: semaphore, fair share, quarantine."""
