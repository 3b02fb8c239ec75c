"""Stores and configurations of earlier Parleys, opened by this one."""
