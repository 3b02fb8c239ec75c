"""Tests of parley.server.runs."""
