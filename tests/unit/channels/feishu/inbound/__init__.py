"""Tests of channels/feishu/inbound."""
