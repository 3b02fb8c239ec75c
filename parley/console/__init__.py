"""The HTTP server of one Parley process: health for operators, and the mount for channels that speak HTTP."""
