"""What people see of cards and markdown."""
