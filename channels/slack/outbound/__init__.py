"""To Slack: replies as messages that grow or are changed, and the agent session of a thread."""
