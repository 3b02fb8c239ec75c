"""Tests of the memory block."""
