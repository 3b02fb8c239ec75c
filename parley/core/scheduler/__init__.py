"""Claims lanes of work and runs their handlers, with catch-up, poison handling and remote stop."""
