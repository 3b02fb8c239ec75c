"""Tests of the pure changes of a memory."""
