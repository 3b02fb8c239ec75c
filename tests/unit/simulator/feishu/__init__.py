"""Tests of the simulated Feishu."""
