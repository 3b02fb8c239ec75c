"""`/memory`: what is remembered of whoever asks, and of a team, in their own hands."""
