"""What the simulated platforms share."""
