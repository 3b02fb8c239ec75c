"""Memory: that of a chat, and what agents reach with their tools."""
