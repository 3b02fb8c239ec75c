"""What `parley doctor` finds, and what its bundle leaves out."""
