"""Value types of a memory: a person's document, its notes, fact ids and timestamps."""
