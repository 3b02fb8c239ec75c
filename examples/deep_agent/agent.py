"""An agent that writes files into its state, as deepagents do; Parley sends those that the answer names."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command
from offline_model import OfflineModel, call


def _merged(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any]:
    return {**(old or {}), **(new or {})}


class _Files(AgentState[Any]):
    files: Annotated[dict[str, Any], _merged]


class _FilesMiddleware(AgentMiddleware[_Files, Any, Any]):
    state_schema = _Files


@tool
def write_file(
    file_path: str, content: str, tool_call_id: Annotated[str, InjectedToolCallId]
) -> Command[Any]:
    """Write a file."""
    now = datetime.now(UTC).isoformat()
    file = {"content": content, "encoding": "utf-8", "created_at": now, "modified_at": now}
    told = ToolMessage(f"Updated file {file_path}", tool_call_id=tool_call_id)
    return Command(update={"files": {file_path: file}, "messages": [told]})


def _script(messages: list[BaseMessage]) -> AIMessage:
    if isinstance(messages[-1], ToolMessage):
        return AIMessage("The report is in `/report.md`.")
    content = f"# Report\n\nYou asked: {messages[-1].text}\n"
    return call("write_file", file_path="/report.md", content=content)


model = OfflineModel(script=_script)  # a real one: model = "openai:gpt-5-mini"
# With the package deepagents: graph = create_deep_agent(model), and nothing else of this file.
graph = create_agent(model, tools=[write_file], middleware=[_FilesMiddleware()])
