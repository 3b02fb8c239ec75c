"""The top: settings, the composition root, supervision of channels, and the command line."""
