"""Tests of channels/dingtalk/inbound."""
