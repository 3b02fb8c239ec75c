"""Files of the default agent: the tools on a conversation's workspace."""
