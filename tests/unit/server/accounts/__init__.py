"""Tests of parley.server.accounts."""
