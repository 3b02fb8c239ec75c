"""Tests of channels/web/api."""
