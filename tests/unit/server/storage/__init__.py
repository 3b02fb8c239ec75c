"""Tests of parley.server.storage."""
