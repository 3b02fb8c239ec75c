"""The journal on SQLite: one process, one file, one writer thread with group commit."""

from parley.store.sqlite.journal import SqliteStore

__all__ = ["SqliteStore"]
