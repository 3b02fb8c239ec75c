"""MCP servers of the default agent: the file that names them, their connections, and their tools."""
