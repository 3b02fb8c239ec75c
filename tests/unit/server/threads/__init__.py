"""Tests of parley.server.threads."""
