"""Tests of channels/dingtalk/outbound."""
