"""Tests of parley.server.routes."""
