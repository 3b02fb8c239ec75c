"""The documents: their site, their translations, and what they say about HTTP."""
