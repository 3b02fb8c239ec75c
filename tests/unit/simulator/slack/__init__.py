"""Tests of the simulated Slack."""
