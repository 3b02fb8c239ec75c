"""Text utilities: search terms, sentences, small talk, escaping, YAML and token counts."""
