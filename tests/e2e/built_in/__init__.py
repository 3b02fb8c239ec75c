"""The built-in agent through real processes: its tools, and MCP servers of others."""
