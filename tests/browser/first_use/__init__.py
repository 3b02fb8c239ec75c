"""The first set-up on the page."""
