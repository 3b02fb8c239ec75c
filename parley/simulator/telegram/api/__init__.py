"""The Bot API as Telegram answers it."""
