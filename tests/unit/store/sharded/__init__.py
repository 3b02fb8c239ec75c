"""A try with several databases: conversations are dealt to them by bucket. Parley itself has one."""
