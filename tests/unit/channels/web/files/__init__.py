"""Tests of channels/web/files."""
