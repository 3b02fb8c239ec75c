"""Agents as the packages of others build them, from the environment of the official server."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool

from tests.agents.graphs.models import Graph, Scripted, calls, says
from tests.kit.checkout import OFFICIAL_VENV

# Last on the path: what both environments have is taken from the one that this server runs in.
sys.path.extend(map(str, OFFICIAL_VENV.glob("lib/python*/site-packages")))

from deepagents import create_deep_agent
from langchain.agents import create_agent
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm

REPORT = "# Report\n\nAll is well.\n"
_WRITES = {"name": "write_file", "args": {"file_path": "/report.md", "content": REPORT}, "id": "call_write"}


@tool
def send_report(to: str) -> str:
    """Send the report to somebody."""
    return f"sent to {to}"


def _called(messages: Sequence[BaseMessage]) -> list[str]:
    """Name the tools that were called since a person spoke."""
    last = max(index for index, message in enumerate(messages) if message.type == "human")
    return [message.name or "" for message in messages[last:] if isinstance(message, ToolMessage)]


def _writes(messages: list[BaseMessage]) -> AIMessage:
    if messages[-1].text == "where is it?":
        return AIMessage("As I said: /report.md has it all.")
    if not _called(messages):
        return AIMessage("I write it down.", tool_calls=[_WRITES])
    return AIMessage("The report is in `/report.md`.")


def _delegates(messages: list[BaseMessage]) -> AIMessage:
    if "task" in _called(messages):
        return AIMessage(f"My expert says: {messages[-1].text}")
    order = {"subagent_type": "expert", "description": "Find out what it is."}
    return AIMessage("", tool_calls=[{"name": "task", "args": order, "id": "call_task"}])


def _sends(messages: list[BaseMessage]) -> AIMessage:
    """Write a report, name it, and send it, for which somebody has to agree."""
    called = _called(messages)
    if not called:
        return AIMessage("", tool_calls=[_WRITES])
    if "send_report" not in called:
        send = {"name": "send_report", "args": {"to": "Bob"}, "id": "call_send"}
        return AIMessage("The report is in `/report.md`. Shall I send it?", tool_calls=[send])
    return AIMessage(f"Done with /report.md: {messages[-1].text}.")


deep_report: Graph = create_deep_agent(model=Scripted(script=_writes))
deep_expert: Graph = create_deep_agent(
    model=Scripted(script=_delegates),
    subagents=[
        {
            "name": "expert",
            "description": "Knows it.",
            "system_prompt": "You know it.",
            "model": says("It is 42."),
            "tools": [],
        }
    ],
)
deep_approval: Graph = create_deep_agent(
    model=Scripted(script=_sends), tools=[send_report], interrupt_on={"send_report": True}
)


def _supervises(messages: list[BaseMessage]) -> AIMessage:
    if any(message.name == "expert" for message in messages):
        return AIMessage("The expert says 42.", name="supervisor")
    call = {"name": "transfer_to_expert", "args": {}, "id": "call_over"}
    return AIMessage("", tool_calls=[call], name="supervisor")


real_supervisor: Graph = create_supervisor(
    [create_agent(says("It is 42."), tools=[], name="expert")],
    model=Scripted(script=_supervises),
).compile()


def _member(name: str, other: str) -> Graph:
    over = calls(f"transfer_to_{other}", "never said")

    def script(messages: list[BaseMessage]) -> AIMessage:
        return over.script(messages) if messages[-1].text == "hand over" else AIMessage(f"{name} here.")

    return create_agent(Scripted(script=script), tools=[create_handoff_tool(agent_name=other)], name=name)


real_swarm: Graph = create_swarm(
    [_member("alice", "bob"), _member("bob", "alice")], default_active_agent="alice"
).compile()
