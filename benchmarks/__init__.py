"""What Parley costs, beside what the same work costs without it; `python -m benchmarks`."""
