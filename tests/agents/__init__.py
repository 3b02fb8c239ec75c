"""Graphs of every shape, each asked a question on our own agent server and on the official one."""
