"""What the adapters share at the wire: configuration base, HTTP client, markdown, splitting, file limits."""
