"""Tests of channels/telegram/inbound."""
