"""How events reach the app: Socket Mode, and the Events API over HTTP."""
