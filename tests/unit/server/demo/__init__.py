"""Tests of parley.server.demo."""
