"""Tests of the search over facts."""
