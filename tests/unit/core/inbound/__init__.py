"""From a platform event to durable work."""
