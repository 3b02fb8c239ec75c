"""The folder of files that each thread has: on disk, with quotas, and never a path outside of it."""
