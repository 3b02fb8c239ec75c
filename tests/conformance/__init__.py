"""One suite of promises that every LangGraph server must keep, run against ours and the official one."""
