"""Tests of parley.agent.transport."""
