"""LISTEN and NOTIFY: work for a queue, and what nodes tell each other."""
