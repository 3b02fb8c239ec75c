"""From Feishu: the long connection (a WebSocket), events and card actions."""
