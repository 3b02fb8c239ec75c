"""Tests of importing memories."""
