"""The memory panel on the real memory: it refreshes by itself, explains, imports and exports."""
