"""To Telegram: replies as messages that are edited, drafted or rich."""
