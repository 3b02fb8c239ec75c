"""YAML text and problems."""
