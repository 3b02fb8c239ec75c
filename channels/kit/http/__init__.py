"""HTTP for adapters: a connection pool and errors without secrets."""
