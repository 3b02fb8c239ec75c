"""The core: an accepted message becomes a delivered reply; it knows no platform and no agent server."""
