"""Tests of channels/feishu/outbound."""
