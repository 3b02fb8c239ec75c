"""How updates reach the bot: polling, and its webhook."""
