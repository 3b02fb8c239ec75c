"""Commands of the default agent: each in a sandbox of its own, on a copy of the conversation's files."""
