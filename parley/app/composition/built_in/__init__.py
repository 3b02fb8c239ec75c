"""The built-in agent: its options, its commands, and the accounts of people on its MCP servers."""
