"""How well turns of long conversations are found, and questions about them answered."""
