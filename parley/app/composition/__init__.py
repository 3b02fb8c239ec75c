"""Settings become a running Parley: every part is made here."""
