"""Tools on memory for agents in this process, and for those of `parley agent`."""
