"""Tests of semantic search over facts."""
