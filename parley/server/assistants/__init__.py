"""Assistants: graphs with settings of their own, in versions."""
