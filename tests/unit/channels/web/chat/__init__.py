"""Tests of channels/web/chat."""
