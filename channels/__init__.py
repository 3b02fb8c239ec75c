"""One folder per chat platform, each an adapter found by its name in the configuration."""
