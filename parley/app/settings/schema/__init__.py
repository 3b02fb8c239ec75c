"""The frozen sections of config.yaml, a module each; the whole of it is in model."""
