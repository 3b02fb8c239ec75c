"""Tests of the simulated Telegram."""
