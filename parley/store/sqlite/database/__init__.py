"""The file itself: opening it, its schema, its lock, and its errors in one line each."""
