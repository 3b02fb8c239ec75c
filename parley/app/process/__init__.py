"""The operating system's side: event loop, log, terminal, watchdog and its heartbeat."""
