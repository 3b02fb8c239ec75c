"""What `deploy/` holds, against other people's linters, schemas and renderers."""
