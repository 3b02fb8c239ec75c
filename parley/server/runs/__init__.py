"""Runs: admission, queues by thread, execution, crash recovery, and their event logs."""
