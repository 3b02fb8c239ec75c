"""The operating system's side."""
