"""Tests of where memories are kept."""
