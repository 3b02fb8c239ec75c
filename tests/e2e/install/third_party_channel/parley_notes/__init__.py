"""A channel as another distribution brings it: messages are lines of a file, and answers too."""
