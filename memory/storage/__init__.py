"""Storage of memories: the port, JSON files and SQL documents, and their formats."""
