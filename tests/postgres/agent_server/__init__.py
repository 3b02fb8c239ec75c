"""The agent server on PostgreSQL, several of them on one schema."""
