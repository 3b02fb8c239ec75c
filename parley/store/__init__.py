"""Durable state in SQL: lanes of work items, each lane in order, and versioned documents."""
