"""What the suites share: how long to wait on this machine, and how their runs are told."""
