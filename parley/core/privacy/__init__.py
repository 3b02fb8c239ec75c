"""Everything kept about a person: exported, erased with a report, or expired."""
