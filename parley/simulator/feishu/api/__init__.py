"""The open platform's HTTP API."""
