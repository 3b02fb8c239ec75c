"""Tests of parley.agent.runs."""
