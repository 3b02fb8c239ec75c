"""One run on the server: preparation, memory, following to its end, and its outcome."""
