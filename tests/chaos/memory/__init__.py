"""Memories of several people under kills: what each answer may know, and what may be left after erasure."""
