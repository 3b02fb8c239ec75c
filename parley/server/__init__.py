"""A small LangGraph-protocol server over the MIT langgraph library, for a start without any configuration."""
