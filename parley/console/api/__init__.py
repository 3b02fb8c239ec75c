"""The operator's API: a module for each path."""
