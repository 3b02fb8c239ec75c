"""The first set-up in the terminal: questions, and what is made of the answers."""
