"""The writer thread with group commit, the reader thread, and their transactions."""
