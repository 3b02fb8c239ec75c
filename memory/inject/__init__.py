"""The memory block of a run: which lines it has, and how they share its token budget."""
