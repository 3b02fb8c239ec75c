"""Tests of parley.agent.files.formats."""
