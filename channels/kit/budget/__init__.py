"""Rate limits of platforms: what each counts, and one budget for all replies of a channel."""
