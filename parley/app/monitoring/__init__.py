"""Health reports, metrics, and watches over the process itself."""
