"""Threads as clients see them: rows, state, and history."""
