"""Tests of parley.server.graphs."""
