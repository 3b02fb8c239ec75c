"""The agent that answers where the user brought none."""
