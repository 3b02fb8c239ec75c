"""What the simulated platforms share: server, state and its lock, faults, rate limits, parameters."""
