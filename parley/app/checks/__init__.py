"""What `parley check` finds in settings, agent server, platforms and file permissions."""
