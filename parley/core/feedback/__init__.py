"""What people think of answers: taken durably, kept, asked words for, and told to services."""
