"""Which remembered facts come first, and what it costs; `python -m benchmarks.recall`."""
