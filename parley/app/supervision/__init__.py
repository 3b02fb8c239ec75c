"""Channels kept connected, connections leased to one node, and this node among the others."""
