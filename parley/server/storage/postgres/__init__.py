"""The server's state in a schema of a PostgreSQL database, which several servers may share."""
