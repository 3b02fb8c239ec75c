"""Who may speak to the console: hosts, origins, tokens, the sign-in page."""
