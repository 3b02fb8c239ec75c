"""The graphs that are asked: small ones, as people write them. They need langgraph and langchain only.

The servers under test import them, the official one in an environment of its own. What deepagents,
langgraph-supervisor, langgraph-swarm and langchain-mcp-adapters add to a run's state is made by plain graphs
here: none of them is in that environment's lock.
"""
