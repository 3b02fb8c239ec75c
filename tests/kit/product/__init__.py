"""Parley as its users run it: its process, and people at their chats."""
