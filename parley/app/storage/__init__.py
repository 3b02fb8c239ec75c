"""What lies in the data folder: paths, the store, secrets, and what goes after its time."""
