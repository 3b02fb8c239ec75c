"""What `parley check` finds."""
