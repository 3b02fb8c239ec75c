"""The ports' own values."""
