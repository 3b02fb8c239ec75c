"""Opening connections, the schema and its migrations, and the server's errors in one line each."""
