"""Tests of what the simulated platforms share."""
