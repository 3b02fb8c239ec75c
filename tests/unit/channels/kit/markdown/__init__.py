"""Tests of channels/kit/markdown."""
