"""Commands that run something, or look at what runs."""
