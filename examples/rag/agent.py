"""A retrieval graph as templates have it: a question in, documents, an answer out, and no messages."""

from __future__ import annotations

from typing import TypedDict

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.graph import START, StateGraph
from offline_model import OfflineModel

_HANDBOOK = (
    "Holidays: everybody has thirty days of holiday a year.",
    "Travel: trains are booked by the office, first class from four hours on.",
    "Laptops: a laptop is replaced every four years.",
)


class State(TypedDict, total=False):
    question: str
    documents: list[str]
    answer: str


def _words(text: str) -> set[str]:
    return {word for each in text.lower().split() if len(word := each.strip(".,:?!").rstrip("s")) > 3}


async def retrieve(state: State) -> State:
    """Find what the handbook says: here by shared words, in yours by a vector store."""
    asked = _words(state["question"])
    return {"documents": [text for text in _HANDBOOK if asked & _words(text)]}


async def generate(state: State) -> State:
    """Answer from what was found."""
    prompt = f"Answer from these: {state['documents']}\nQuestion: {state['question']}"
    said = await model.ainvoke(prompt)
    return {"answer": said.text}


def _script(messages: list[BaseMessage]) -> AIMessage:
    found = [text for text in _HANDBOOK if text in messages[-1].text]
    return AIMessage(" ".join(text.partition(": ")[2] for text in found) or "The handbook does not say.")


model = OfflineModel(script=_script)  # a real one: model = init_chat_model("openai:gpt-5-mini")
graph = (
    StateGraph(State)
    .add_node("retrieve", retrieve)
    .add_node("generate", generate)
    .add_edge(START, "retrieve")
    .add_edge("retrieve", "generate")
    .compile()
)
