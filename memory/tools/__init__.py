"""Tools that agents have on the memory of their run's person: search, save, correct, forget, recall."""
