"""HTTP to the agent server: connections, the SDK's HTTP layer, bounded decoding, and errors mapped once."""
