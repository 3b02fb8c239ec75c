"""A chat model that is no AI: it says what a function tells it, so that the examples answer without a key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool


def call(tool: str, **arguments: object) -> AIMessage:
    """Return a message that calls a tool."""
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": f"call_{tool}"}])


class OfflineModel(BaseChatModel):
    """Says what `script` makes of the messages, word by word."""

    script: Callable[[list[BaseMessage]], AIMessage]

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in _pieces(self.script(messages)):
            yield ChatGenerationChunk(message=piece)
            await asyncio.sleep(0.02)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.script(messages))])


def _pieces(said: AIMessage) -> Iterator[AIMessageChunk]:
    words = said.text.split(" ")
    yield from (AIMessageChunk(content=f"{word} ") for word in words[:-1])
    yield AIMessageChunk(content=words[-1])
    for number, each in enumerate(said.tool_calls):
        chunk = tool_call_chunk(name=each["name"], args=json.dumps(each["args"]), id=each["id"], index=number)
        yield AIMessageChunk(content="", tool_call_chunks=[chunk])
    yield AIMessageChunk(content="", chunk_position="last")
