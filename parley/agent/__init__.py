"""Runs an agent over the LangGraph SDK and turns its event stream into snapshots of a reply."""
