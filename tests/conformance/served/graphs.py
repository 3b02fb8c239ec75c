"""The graphs that the servers under test serve. Needs langgraph and langchain-core only."""

from __future__ import annotations

import asyncio
import json
import operator
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeAlias, TypedDict, cast
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import StreamWriter, interrupt
from typing_extensions import TypedDict as DescribedDict

Graph: TypeAlias = "CompiledStateGraph[Any, Any, Any, Any]"
Node: TypeAlias = Callable[..., Awaitable[dict[str, Any]]]


class Speaker(BaseChatModel):
    """Says `words`, one by one, after `You said: ` and the last human text where `echoes`."""

    words: Sequence[Any] = ()
    echoes: bool = True
    delay: float = 0.005
    call: str = ""

    @property
    def _llm_type(self) -> str:
        return "speaker"

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **_: object,
    ) -> AsyncIterator[ChatGenerationChunk]:
        said = ["You ", "said: ", messages[-1].text] if self.echoes else []
        for word in [*said, *self.words]:
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            await asyncio.sleep(self.delay)
        if self.call:
            for name, part in ((self.call, '{"city":'), (None, ' "Bonn"}')):
                chunk = tool_call_chunk(name=name, args=part, id="call_1" if name else None, index=0)
                yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[chunk]))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", chunk_position="last"))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **_: object,
    ) -> ChatResult:
        chunks = [cast("AIMessageChunk", chunk.message) async for chunk in self._astream(messages)]
        whole = chunks[0]
        for chunk in chunks[1:]:
            whole += chunk
        message = AIMessage(content=whole.content, tool_calls=whole.tool_calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _generate(self, *_: object, **__: object) -> ChatResult:
        raise NotImplementedError


def _one_node(node: Node | Graph, name: str = "model", context: type | None = None) -> Graph:
    graph = StateGraph(MessagesState, context_schema=context)
    return graph.add_node(name, node).add_edge(START, name).compile()


async def _echo(state: MessagesState, writer: StreamWriter) -> dict[str, Any]:
    writer({"progress": "thinking"})
    return {"messages": [await Speaker().ainvoke(state["messages"])]}


async def _slow(state: MessagesState) -> dict[str, Any]:
    # As tests.kit.machine has it, from which the official server cannot import.
    slowness = float(os.environ.get("PARLEY_TEST_SLOWNESS", "2"))
    words = [f"w{number} " for number in range(40)]
    return {"messages": [await Speaker(words=words, delay=0.05 * slowness).ainvoke(state["messages"])]}


async def _fail(state: MessagesState) -> dict[str, Any]:
    if state["messages"][-1].text != "be kind":
        raise RuntimeError("model exploded")
    return {"messages": [AIMessage("recovered")]}


async def _blocks(state: MessagesState) -> dict[str, Any]:
    words = [
        [{"type": "thinking", "thinking": "hm ", "index": 0}],
        [{"type": "thinking", "thinking": "so", "index": 0}],
        [{"type": "text", "text": "You ", "index": 1}],
        [{"type": "text", "text": "win", "index": 1}],
    ]
    return {"messages": [await Speaker(words=words, echoes=False).ainvoke(state["messages"])]}


async def _quiet(state: MessagesState) -> dict[str, Any]:
    hidden = Speaker(words=["hidden "], echoes=False).with_config(tags=["nostream"])
    shown = await Speaker().ainvoke(state["messages"])
    return {"messages": [await hidden.ainvoke(state["messages"]), shown]}


async def _ask(state: MessagesState) -> dict[str, Any]:
    answer = interrupt({"question": "Send this?"})
    return {"messages": [AIMessage(f"answer was {answer}")]}


async def _plan(state: MessagesState) -> dict[str, Any]:
    model = Speaker(words=["Let me look. "], echoes=False, call="get_weather")
    return {"messages": [await model.ainvoke(state["messages"])]}


async def _tool(state: MessagesState) -> dict[str, Any]:
    call = state["messages"][-1].tool_calls[0]  # type: ignore[union-attr]
    result = ToolMessage(f"sunny in {call['args']['city']}", tool_call_id=call["id"], name=call["name"])
    return {"messages": [result]}


async def _conclude(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await Speaker(words=["It is sunny."], echoes=False).ainvoke(state["messages"])]}


class _Context(TypedDict, total=False):
    user_id: str


async def _who(state: MessagesState, runtime: Runtime[_Context], config: RunnableConfig) -> dict[str, Any]:
    context: Any = runtime.context or {}
    thread = config["configurable"]["thread_id"]
    note = (config.get("metadata") or {}).get("note")
    return {"messages": [AIMessage(f"user={context.get('user_id')} thread={thread} note={note}")]}


class _Roots(BaseCallbackHandler):
    """Hears, as tracers do, which run is at the root of each thread's last run."""

    def __init__(self) -> None:
        self.of_thread: dict[str, dict[str, Any]] = {}

    def on_chain_start(
        self,
        serialized: object,
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **_: object,
    ) -> None:
        if parent_run_id is None:
            about = metadata or {}
            self.of_thread[about["thread_id"]] = {"root": str(run_id), "metadata": about}


_ROOTS = _Roots()


async def _traced(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
    root = _ROOTS.of_thread[config["configurable"]["thread_id"]]
    return {"messages": [AIMessage(json.dumps(root, default=str))]}


@dataclass
class _Strict:
    """It has a field that must be given, and takes no other."""

    user_id: str


class _Remembers(DescribedDict, total=False):
    """The official server cannot describe a TypedDict of `typing` before Python 3.12."""

    memory: str


async def _identity(state: MessagesState, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
    configurable = config["configurable"]
    places = (configurable, config["metadata"], dict(runtime.context or {}))
    seen = {
        "people": [place.get("parley", {}).get("person") for place in places],
        "user_id": configurable.get("user_id"),
        "name": state["messages"][-1].name,
        "auth": configurable.get("langgraph_auth_user_id", ""),
    }
    return {"messages": [AIMessage(json.dumps(seen))]}


async def _strict(_: MessagesState, runtime: Runtime[_Strict], config: RunnableConfig) -> dict[str, Any]:
    seen = [runtime.context.user_id, config["configurable"]["parley"]["person"]]
    return {"messages": [AIMessage(json.dumps(seen))]}


async def _notes(state: MessagesState, config: RunnableConfig, store: BaseStore) -> dict[str, Any]:
    place = ("notes", config["configurable"]["user_id"])
    await store.aput(place, str(len(state["messages"])), {"text": state["messages"][-1].text})
    found = [item.value["text"] for item in await store.asearch(place)]
    return {"messages": [AIMessage(json.dumps(sorted(found)))]}


async def _remembers(state: MessagesState, runtime: Runtime[_Remembers]) -> dict[str, Any]:
    seen = [dict(runtime.context or {}).get("memory", ""), state["messages"][-1].content]
    return {"messages": [AIMessage(json.dumps(seen))]}


class _Answers(TypedDict, total=False):
    answers: Annotated[list[str], operator.add]
    messages: list[AnyMessage]


class _Asking(Protocol):
    """A node that asks."""

    async def __call__(self, state: _Answers) -> dict[str, Any]: ...


def _asker(name: str) -> _Asking:
    async def ask(state: _Answers) -> dict[str, Any]:
        return {"answers": [f"{name}={interrupt(name)}"]}

    return ask


echo = _one_node(_echo)
slow = _one_node(_slow)
failing = _one_node(_fail)
blocks = _one_node(_blocks)
quiet = _one_node(_quiet)
who = _one_node(_who, context=_Context)
ask = _one_node(_ask, "ask")
sub = _one_node(_one_node(_echo, "inner"), "researcher")
ask_two = (
    StateGraph(_Answers)
    .add_node("left", _asker("left"))
    .add_node("right", _asker("right"))
    .add_edge(START, "left")
    .add_edge(START, "right")
    .compile()
)
tools = (
    StateGraph(MessagesState)
    .add_node("model", _plan)
    .add_node("tools", _tool)
    .add_node("conclude", _conclude)
    .add_edge(START, "model")
    .add_edge("model", "tools")
    .add_edge("tools", "conclude")
    .add_edge("conclude", END)
    .compile()
)

identity = _one_node(_identity)
traced = _one_node(_traced).with_config(callbacks=[_ROOTS])
strict = _one_node(_strict, context=_Strict)
notes = _one_node(_notes)
remembers = _one_node(_remembers, context=_Remembers)


async def _learn(state: MessagesState) -> dict[str, Any]:
    """Learn the last thing that the user said in a lesson, as an assistant of somebody's own does."""
    lesson = state["messages"][-1].text
    said = lesson.rpartition("User: ")[2].splitlines()[0]
    fact = {"content": said, "category": "context", "confidence": 0.9, "turns": ["T1"]}
    answer = json.dumps({"newFacts": [fact]}) if "# How facts are written" in lesson else "no rules"
    return {"messages": [AIMessage(content=f"Here it is:\n```json\n{answer}\n```")]}


learner = _one_node(_learn)

NAMES = (
    "echo",
    "slow",
    "failing",
    "blocks",
    "quiet",
    "who",
    "ask",
    "sub",
    "ask_two",
    "tools",
    "identity",
    "traced",
    "strict",
    "notes",
    "remembers",
    "learner",
)
