"""config.yaml and the environment become frozen settings, or one line for every mistake."""
