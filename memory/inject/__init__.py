"""The memory block of a run: selection, ranking and rendering of its lines within a token budget."""
