"""Tests of parley.server.crons."""
