"""The Python client: a Parley in one's own program, or one that runs elsewhere, through its HTTP API."""
