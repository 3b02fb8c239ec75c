"""Tests of channels/slack/outbound."""
