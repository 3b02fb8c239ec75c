"""To DingTalk: replies as AI cards, question cards and robot messages."""
