"""What people see of texts and blocks."""
