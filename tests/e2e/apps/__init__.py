"""Several apps and bots: each is itself, and none keeps another busy."""
