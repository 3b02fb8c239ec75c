"""Tests of past conversations."""
