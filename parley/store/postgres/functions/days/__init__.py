"""Finished items and names against duplicates, in a partition for each day: retention drops tables.

What waits, and dead letters, stay in `items`: what is asked often reads no partition. Also there stay rows
that ended while their day had no partition, that nobody had indexed, and those of before this step.
"""

from __future__ import annotations

from parley.store.postgres.functions.days import ended, names, partitions

ALL = (*partitions.ALL, *names.ALL, *ended.ALL, partitions.FIRST)
"""The statements that make them, in the order of need."""

IN_BLOCKS = ended.IN_BLOCKS

IN_SCHEMA_16 = (partitions.ALL_NAMES, *names.IN_SCHEMA_16, *partitions.IN_SCHEMA_16)
"""What was made otherwise until schema 15: names of a day's first minute were listed twice, and where neither
day had a partition what was put was taken for known; names of a day had an index by their first part.
"""

IN_SCHEMA_17 = (partitions.DROP_PARTITION,)
"""Made otherwise until schema 16: rows that the server did not know of were not counted."""
