"""Files that graphs are given, and files that they make."""

from __future__ import annotations

from base64 import b64encode
from typing import Annotated, Any

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from tests.agents.graphs.models import Graph, Script, Scripted, calls, one

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_IMAGE = {"type": "image", "base64": PIXEL, "mime_type": "image/png"}
REPORT = "# Report\n\nAll is well.\n"


async def _describe(state: MessagesState) -> dict[str, Any]:
    content = state["messages"][-1].content
    blocks = [content] if isinstance(content, str) else content
    kinds = [block if isinstance(block, str) else f"{block['type']}" for block in blocks]
    return {"messages": [AIMessage(f"I got {', '.join(kinds)}")]}


def _answers(*content: dict[str, Any], **extra: Any) -> Graph:  # noqa: ANN401 - what agents add
    async def answer(state: MessagesState) -> dict[str, Any]:
        return {
            "messages": [
                AIMessage([{"type": "text", "text": "Here it is."}, *content], additional_kwargs=extra)
            ]
        }

    return one(answer)


describes = one(_describe)
own_image = _answers(_IMAGE | {"filename": "pixel.png"})
image_url = _answers({"type": "image", "url": "https://example.org/cat.png"})
additional_files = _answers(files=[{"filename": "report.md", "path": "/mnt/user-data/outputs/report.md"}])


async def _show(state: MessagesState) -> dict[str, Any]:
    image = _IMAGE | {"filename": "pixel.png"}
    return {"messages": [AIMessage([{"type": "text", "text": "Here it is."}, image])]}


async def _keep(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"Kept: {interrupt('Keep it?')}.")]}


asks_about_image = (
    StateGraph(MessagesState)
    .add_node("draw", _show)
    .add_node("keep", _keep)
    .add_edge(START, "draw")
    .add_edge("draw", "keep")
    .compile()
)


@tool
def draw() -> list[dict[str, Any]]:
    """Draw a picture, and return it as MCP tools do."""
    return [{"type": "text", "text": "drawn"}, _IMAGE]


@tool(response_format="content_and_artifact")
def plot() -> tuple[str, dict[str, Any]]:
    """Plot something, with the picture beside the result."""
    return "plotted", _IMAGE


@tool
def fetch_report() -> list[dict[str, Any]]:
    """Fetch a report, as a file."""
    content = b64encode(REPORT.encode()).decode()
    return [{"type": "file", "base64": content, "mime_type": "text/markdown", "filename": "report.md"}]


tool_image = create_agent(calls("draw", "Here is the picture."), tools=[draw])
tool_artifact = create_agent(calls("plot", "Here is the plot."), tools=[plot])
tool_file = create_agent(calls("fetch_report", "Here is the report."), tools=[fetch_report])


def _merged(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any]:
    return {**(old or {}), **(new or {})}


def _joined(old: list[str] | None, new: list[str] | None) -> list[str]:
    return [*(old or ()), *(new or ())]


class _Desk(AgentState[Any]):
    files: Annotated[dict[str, Any], _merged]
    artifacts: Annotated[list[str], _joined]


class _DeskMiddleware(AgentMiddleware[_Desk, Any, Any]):
    """Adds what deepagents and DeerFlow keep beside the messages."""

    state_schema = _Desk


@tool
def write_file(
    file_path: str, content: str, tool_call_id: Annotated[str, InjectedToolCallId]
) -> Command[Any]:
    """Write a file into the state, as deepagents do."""
    stamp = "2026-11-23T00:00:00+00:00"
    file = {"content": content, "encoding": "utf-8", "created_at": stamp, "modified_at": stamp}
    told = ToolMessage(f"Updated file {file_path}", tool_call_id=tool_call_id)
    return Command(update={"files": {file_path: file}, "messages": [told]})


@tool
def write_lines(
    file_path: str, content: str, tool_call_id: Annotated[str, InjectedToolCallId]
) -> Command[Any]:
    """Write a file into the state, as older deepagents do: line by line."""
    stamp = "2026-11-23T00:00:00+00:00"
    file = {"content": content.split("\n"), "created_at": stamp, "modified_at": stamp}
    told = ToolMessage(f"Updated file {file_path}", tool_call_id=tool_call_id)
    return Command(update={"files": {file_path: file}, "messages": [told]})


@tool
def present_files(filepaths: list[str], tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Show files to the person, as DeerFlow does."""
    told = ToolMessage("Successfully presented files", tool_call_id=tool_call_id)
    return Command(update={"artifacts": filepaths, "messages": [told]})


def _desk(model: Scripted, made_with: BaseTool) -> Graph:
    return create_agent(model, tools=[made_with], middleware=[_DeskMiddleware()])


def _written_twice() -> Script:
    """Write `/report.md` at first; only talk of it in the next turn."""

    def script(messages: list[BaseMessage]) -> AIMessage:
        if isinstance(messages[-1], ToolMessage):
            return AIMessage("The report is in `/report.md`.")
        if any(isinstance(each, ToolMessage) for each in messages):
            return AIMessage("As I said: /report.md has it all.")
        call = {"name": "write_file", "args": {"file_path": "/report.md", "content": REPORT}, "id": "w1"}
        return AIMessage("", tool_calls=[call])

    return script


deep_files = _desk(Scripted(script=_written_twice()), write_file)
deep_lines = _desk(
    calls("write_lines", "See /notes.txt for it.", file_path="/notes.txt", content="one\ntwo"), write_lines
)
presented = _desk(
    calls("present_files", "I made a report.", filepaths=["/mnt/user-data/outputs/report.md"]), present_files
)
