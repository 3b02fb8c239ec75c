"""Who may speak to the console."""
