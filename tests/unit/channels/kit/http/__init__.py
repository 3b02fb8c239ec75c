"""Tests of channels/kit/http."""
