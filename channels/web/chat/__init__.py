"""The conversations of the web chat: transcript, event log, replies."""
