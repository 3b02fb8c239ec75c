"""Tests of the simulated DingTalk."""
