"""What is done to processes and their surroundings."""
