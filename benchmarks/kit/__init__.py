"""What benchmarks share: processes, numbers, tables, and stand-ins around Parley."""
