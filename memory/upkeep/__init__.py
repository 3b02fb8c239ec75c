"""Upkeep of a memory, once a day: facts that may no longer hold, and facts that say the same."""
