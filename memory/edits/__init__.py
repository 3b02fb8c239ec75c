"""Pure changes of a stored memory: add, edit, forget, merge, evict and undo."""
