"""The HTTP server's options, protocol time-outs, middleware and error responses."""
