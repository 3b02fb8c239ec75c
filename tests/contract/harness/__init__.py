"""Everything around a real channel: the agent, the store, a process, and who watches."""
