"""The ports to what is remembered of people."""
