"""Remembering people: what they said becomes facts, and the right ones come back at the right time."""
