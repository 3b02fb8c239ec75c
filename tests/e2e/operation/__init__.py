"""Starting, crashing, moving and watching a Parley."""
