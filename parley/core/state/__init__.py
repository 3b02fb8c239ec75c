"""Durable records of conversations, turns, people and pairing, and how they are read and changed."""
