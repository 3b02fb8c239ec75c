"""Parley puts any LangGraph agent into the team's chats."""
