"""The embedded server, through its in-process transport and the stock SDK."""
