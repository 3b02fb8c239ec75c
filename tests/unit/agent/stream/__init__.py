"""Tests of parley.agent.stream."""
