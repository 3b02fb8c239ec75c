"""The values of a memory: a person's document, its notes, ids of facts and stored times."""
