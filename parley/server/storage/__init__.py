"""The server's one SQLite file: grouped writes, thread and run rows, LangGraph checkpoints."""
