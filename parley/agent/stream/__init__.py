"""A run's event stream: messages, text, steps, token usage, and the final answer (pure)."""
