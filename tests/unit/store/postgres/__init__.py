"""What of the PostgreSQL engine needs no server."""
