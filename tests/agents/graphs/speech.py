"""What models and LangChain's middleware put into messages."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware, TodoListMiddleware, ToolRetryMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import MessagesState
from pydantic import BaseModel

from tests.agents.graphs.models import Graph, Scripted, calls, echo, one, says


def _speaks(*content: dict[str, Any], words: str = "", **extra: Any) -> Graph:  # noqa: ANN401 - what a provider adds
    said = AIMessage(list(content) or words, additional_kwargs=extra)

    async def speak(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await Scripted(script=lambda _: said).ainvoke(state["messages"])]}

    return one(speak)


def _text(text: str, **more: object) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


thinking = _speaks(
    {"type": "thinking", "thinking": "SECRET-THOUGHT", "signature": "s"}, _text("Anthropic's way")
)
reasoning = _speaks({"type": "reasoning", "reasoning": "SECRET-THOUGHT"}, _text("LangChain's way"))
think_tags = _speaks(words="<think>SECRET-THOUGHT about it.</think>The open answer.")
citations = _speaks(
    _text(
        "Water boils at 100 degrees.",
        annotations=[{"type": "citation", "url": "https://example.org/water", "title": "On water"}],
    )
)
refusal = _speaks({"type": "refusal", "refusal": "I cannot help with that."})
server_tools = _speaks(
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "https://example.org"}]},
    _text("It rains."),
)


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


structured_tool = create_agent(
    calls("Person", "", name="Ada", age=36), tools=[], response_format=ToolStrategy(Person)
)
structured_provider = create_agent(
    says('{"name": "Ada", "age": 36}'), tools=[], response_format=ProviderStrategy(Person)
)
summaries = create_agent(
    Scripted(script=echo),
    tools=[],
    middleware=[
        SummarizationMiddleware(says("SUMMARY-OF-OLD"), trigger=("messages", 4), keep=("messages", 1))
    ],
)


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


@tool
def broken(city: str) -> str:
    """Tell the weather, if only it could."""
    raise ValueError(f"no station in {city}")


@tool(return_direct=True)
def ask_clarification(question: str) -> str:
    """Ask the person."""
    return question


with_tools = create_agent(calls("weather", "It is {}.", "Let me look.", city="Bonn"), tools=[weather])
return_direct = create_agent(
    calls("ask_clarification", "unused", question="Which year do you mean?"), tools=[ask_clarification]
)
tool_raises = create_agent(
    calls("broken", "I could not find out.", city="Bonn"),
    tools=[broken],
    middleware=[ToolRetryMiddleware(max_retries=0)],
)
todos = create_agent(
    calls(
        "write_todos",
        "All planned.",
        todos=[{"content": "Buy milk", "status": "in_progress"}, {"content": "Rest", "status": "pending"}],
    ),
    tools=[],
    middleware=[TodoListMiddleware()],
)
