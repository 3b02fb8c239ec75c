"""Tests of channels/slack/inbound."""
