"""What isolates commands: programs of the machine that make sandboxes, and what a command sees in there."""
