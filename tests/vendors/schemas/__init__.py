"""What vendors declare of their wires, and values held against it."""
