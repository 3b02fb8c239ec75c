"""Tests of channels/telegram/outbound."""
