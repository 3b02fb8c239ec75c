"""The verbs of the journal, each a function on an open transaction, and their SQL."""
