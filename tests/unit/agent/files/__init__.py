"""Tests of parley.agent.files."""
