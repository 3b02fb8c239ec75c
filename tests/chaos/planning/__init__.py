"""What will happen in a run, all of it made from one seed."""
