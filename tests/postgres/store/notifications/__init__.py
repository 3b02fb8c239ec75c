"""LISTEN and NOTIFY on a real server."""
