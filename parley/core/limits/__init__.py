"""Usage limits: rules, enforcement and their texts."""
