"""An agent whose model thinks aloud. It answers once the file `go` lies beside it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph

THOUGHT = "I remember that I love pizza."
_GO = Path(__file__).with_name("go")


class Thinker(BaseChatModel):
    """Thinks, waits, and says how many words it was given."""

    @property
    def _llm_type(self) -> str:
        return "thinker"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("not streamed"))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in (THOUGHT[:7], THOUGHT[7:]):
            yield _chunk({"type": "reasoning", "reasoning": piece, "index": 0})
        await asyncio.to_thread(_wait)
        yield _chunk({"type": "text", "text": f"{len(messages)} messages", "index": 1})


def _wait() -> None:
    while not _GO.exists():
        time.sleep(0.05)


def _chunk(block: dict[str, Any]) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=[block]))


async def _speak(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await Thinker().ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node("speak", _speak).add_edge(START, "speak").compile()
