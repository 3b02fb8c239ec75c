"""Messages of the person on the page: changed, queued, and suggested ones."""
