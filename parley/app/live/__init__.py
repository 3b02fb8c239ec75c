"""The walk through a real account: what goes over the wire is recorded, cleaned and compared."""
