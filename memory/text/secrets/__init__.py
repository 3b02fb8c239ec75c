"""Masking of secrets in texts, before they are stored and before they are given to an agent."""
