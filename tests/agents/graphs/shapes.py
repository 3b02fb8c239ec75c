"""States of every shape, and what a run's context may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from pydantic import BaseModel

from tests.agents.graphs.models import Scripted, echo, one


class _Search(TypedDict, total=False):
    question: str
    docs: list[str]
    answer: str


async def _retrieve(state: _Search) -> dict[str, Any]:
    return {"docs": [f"first of {state['question']}", f"second of {state['question']}"]}


async def _answer(state: _Search) -> dict[str, Any]:
    return {"answer": f"question={state['question']} docs={len(state['docs'])}"}


plain = (
    StateGraph(_Search)
    .add_node("retrieve", _retrieve)
    .add_node("answer", _answer)
    .add_edge(START, "retrieve")
    .add_edge("retrieve", "answer")
    .compile()
)


class _Topic(TypedDict):
    topic: str


class _Report(TypedDict):
    report: str


class _Both(_Topic, _Report):
    pass


async def _write(state: _Topic) -> dict[str, Any]:
    return {"report": f"# {state['topic']}\n\nAll about it."}


topic_report = one(_write, "write", _Both, input_schema=_Topic, output_schema=_Report)


class _Findings(MessagesState):
    final_report: str


async def _conclude(state: _Findings) -> dict[str, Any]:
    return {"final_report": f"Report on {state['messages'][-1].text}"}


final_report = one(_conclude, "conclude", _Findings)


class _Model(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages]
    turns: int = 0


async def _count(state: _Model) -> dict[str, Any]:
    said = await Scripted(script=echo, held=True).ainvoke(state.messages)
    return {"messages": [said], "turns": state.turns + 1}


pydantic_state = one(_count, "count", _Model)


@dataclass
class _Needs:
    user_id: str


async def _address(state: MessagesState, runtime: Runtime[_Needs]) -> dict[str, Any]:
    return {"messages": [AIMessage(f"user_id={runtime.context.user_id}")]}


needs_context = one(_address, context_schema=_Needs)


class _Wishes(TypedDict, total=False):
    tone: str


async def _tone(state: MessagesState, runtime: Runtime[_Wishes]) -> dict[str, Any]:
    return {"messages": [AIMessage(f"tone={(runtime.context or {}).get('tone')}")]}


typed_context = one(_tone, context_schema=_Wishes)


@dataclass
class _Remembers:
    memory: str = ""


class _Known(TypedDict, total=False):
    memory: str


async def _remember(state: MessagesState, runtime: Runtime[Any]) -> dict[str, Any]:
    context = runtime.context
    known = context.memory if isinstance(context, _Remembers) else (context or {}).get("memory", "")
    asked: str = state["messages"][-1].content  # type: ignore[assignment]
    return {"messages": [AIMessage(f"asked={asked} pizza={'pizza' in known}")]}


remembers = one(_remember, context_schema=_Remembers)
remembers_dict = one(_remember, context_schema=_Known)


async def _concatenate(state: MessagesState) -> dict[str, Any]:
    asked: str = state["messages"][-1].content  # type: ignore[assignment]
    return {"messages": [AIMessage("You asked: " + asked)]}


content_as_str = one(_concatenate)


@entrypoint()
async def functional_dict(asked: dict[str, Any]) -> dict[str, Any]:
    """Answer as the functional API does, in a message."""
    return {"messages": [*asked["messages"], AIMessage(f"functional: {_last_text(asked)}")]}


@entrypoint()
async def functional_str(asked: dict[str, Any]) -> str:
    """Answer with nothing but a string."""
    return f"only words: {_last_text(asked)}"


def _last_text(asked: dict[str, Any]) -> str:
    last = asked["messages"][-1]
    content = last["content"] if isinstance(last, dict) else last.content
    return str(content)
