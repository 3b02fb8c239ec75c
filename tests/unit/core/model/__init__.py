"""Values, settings and pure helpers of the core."""
