"""From YAML text to a tree with lines and variables, and problems with their places."""
