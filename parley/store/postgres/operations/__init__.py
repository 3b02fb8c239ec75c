"""The verbs of the journal as calls of SQL with their values."""
