"""Tests of the text utilities of memory."""
