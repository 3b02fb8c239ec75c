"""Tests of parley.agent.hitl."""
