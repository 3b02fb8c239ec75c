"""The channel contract: one set of promises, kept by every channel against its platform."""
