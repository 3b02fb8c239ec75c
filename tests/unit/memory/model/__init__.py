"""Tests of the values of a memory."""
