"""Everything that is kept about a person: exported, or erased with a receipt."""
