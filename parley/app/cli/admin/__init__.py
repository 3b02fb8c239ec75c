"""Commands that look after what Parley keeps, and who may talk to it."""
