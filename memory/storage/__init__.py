"""Where memories are kept: the storage port, JSON files and SQL documents, and their formats."""
