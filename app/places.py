"""Where things are within the data folder."""

DATABASE = "parley.db"
AGENT_DATABASE = "agent.db"
FILES = "files"
CHANNELS = "channels"
"""A folder for each channel is in it."""
VECTORS = "memory-vectors"
