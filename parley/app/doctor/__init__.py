"""What `parley doctor` proves by doing: platforms, agent, store, memory, network, and this machine."""
