"""A chat model that says what a script tells it, and the shortest way to a graph around it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

Graph: TypeAlias = "CompiledStateGraph[Any, Any, Any, Any]"
Script: TypeAlias = Callable[[list[BaseMessage]], AIMessage]
SEEN = "seen"
"""The folder of the threads of which something was seen."""

Node: TypeAlias = Callable[..., Awaitable[Any]]


class Scripted(BaseChatModel):
    """Says what `script` makes of the messages, piece by piece with a `delay` between two.

    What is `held` says its second piece once the first was seen: on a busy machine all might come at once.
    """

    script: Callable[[list[BaseMessage]], AIMessage]
    delay: float = 0.005
    held: bool = False

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in _pieces(self.script(messages)):
            yield ChatGenerationChunk(message=piece)
            await asyncio.sleep(self.delay)
            if self.held and piece.text:
                await _until_seen(get_config()["configurable"]["thread_id"])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.script(messages))])


async def _until_seen(thread: str) -> None:
    """Wait until the player has seen something of the thread: it says so by a file where the server runs."""
    while not await asyncio.to_thread(Path(SEEN, thread).exists):  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.02)


def _pieces(said: AIMessage) -> Iterator[AIMessageChunk]:
    if isinstance(said.content, str):
        for word in said.content.splitlines(keepends=True):
            yield from (AIMessageChunk(content=part) for part in _words(word))
    else:
        for number, block in enumerate(said.content):
            whole = block if isinstance(block, dict) else {"type": "text", "text": block}
            yield AIMessageChunk(content=[{**whole, "index": number}])
    for number, call in enumerate(said.tool_calls):
        chunk = tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=number)
        yield AIMessageChunk(content="", tool_call_chunks=[chunk])
    extra = said.additional_kwargs
    yield AIMessageChunk(content="", additional_kwargs=extra, chunk_position="last")


def _words(line: str) -> Iterator[str]:
    parts = line.split(" ")
    yield from (f"{part} " for part in parts[:-1])
    if parts[-1]:
        yield parts[-1]


def echo(messages: list[BaseMessage]) -> AIMessage:
    """Repeat the last message."""
    return AIMessage(f"You said: {messages[-1].text}")


def says(text: str) -> Scripted:
    """Return a model that always says the same."""
    return Scripted(script=lambda _: AIMessage(text))


def calls(name: str, said: str, /, text: str = "", **args: object) -> Scripted:
    """Return a model that calls a tool, after `text`, and then says `said` with the result for `{}`."""

    def script(messages: list[BaseMessage]) -> AIMessage:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return AIMessage(said.replace("{}", last.text))
        call = {"name": name, "args": args, "id": f"call_{name}_{len(messages)}"}
        return AIMessage(text, tool_calls=[call])

    return Scripted(script=script)


def one(node: Node | Graph, name: str = "model", state: type = MessagesState, **schemas: Any) -> Graph:  # noqa: ANN401 - StateGraph's own
    """Return a graph of one node."""
    return StateGraph(state, **schemas).add_node(name, node).add_edge(START, name).compile()
