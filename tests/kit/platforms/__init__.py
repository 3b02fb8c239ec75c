"""A channel, the simulated platform that it talks to, and an inbox that keeps what it gets."""
