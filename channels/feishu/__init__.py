"""Feishu and Lark: one app's bot over its long connection, answering with cards that grow."""
