"""A small Parley inside another program: only the web chat is on."""
