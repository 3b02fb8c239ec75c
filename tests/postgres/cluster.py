"""A private PostgreSQL for tests: the benchmarks' own, see benchmarks.kit.postgres_cluster."""

from benchmarks.kit.postgres_cluster import MOST_CONNECTIONS, Cluster, free_port, running, stepping_down

__all__ = ["MOST_CONNECTIONS", "Cluster", "free_port", "running", "stepping_down"]
