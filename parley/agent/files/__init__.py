"""Files to and from the agent: reading in a sandboxed process, content blocks, and files in answers."""
