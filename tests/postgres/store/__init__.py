"""The store's promises on PostgreSQL."""
