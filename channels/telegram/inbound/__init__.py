"""From Telegram: updates that are polled for or posted to a webhook, and answers to callback queries."""
