"""The demonstration as a chat model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from parley.server.demo.intents import DemoReply, choose_reply
from parley.server.demo.thread_inspection import inspect_thread

NAME = "parley-demonstration"
_WORDS = re.compile(r"[\u4e00-\u9fff]{1,2}|[^\s\u4e00-\u9fff]+\s*|\s+")


class DemoModel(BaseChatModel):
    """Answers by fixed rules, word by word; `word_delay` is the pause between words, in seconds.

    Its tokens are the words that it reads and writes.
    """

    word_delay: float = 0.03

    @property
    def _llm_type(self) -> str:
        return NAME

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The rules know their tools already."""
        return self

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> AsyncIterator[ChatGenerationChunk]:
        reading = inspect_thread(messages)
        answer = choose_reply(reading)
        for chunk in _chunks(answer, f"call_{reading.turn}", _words_in(messages)):
            yield ChatGenerationChunk(message=chunk)
            await asyncio.sleep(self.word_delay * answer.pace)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> ChatResult:
        return _whole([chunk.message async for chunk in self._astream(messages)])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> ChatResult:
        reading = inspect_thread(messages)
        return _whole(list(_chunks(choose_reply(reading), f"call_{reading.turn}", _words_in(messages))))


def _words_in(messages: Sequence[BaseMessage]) -> int:
    return sum(len(_WORDS.findall(str(message.text))) for message in messages)


def _chunks(answer: DemoReply, call_id: str, read: int) -> Iterator[AIMessageChunk]:
    words = _WORDS.findall(answer.text)
    for word in words:
        yield AIMessageChunk(content=[{"type": "text", "text": word, "index": 0}] if answer.file else word)
    if answer.file:
        yield AIMessageChunk(content=[{**answer.file, "index": 1}])
    if answer.tool:
        arguments = json.dumps(dict(answer.arguments or {}), ensure_ascii=False)
        calls = [tool_call_chunk(name=answer.tool, args=arguments, id=call_id, index=0)]
        yield AIMessageChunk(content="", tool_call_chunks=calls)
    yield AIMessageChunk(
        content="",
        chunk_position="last",
        response_metadata={"finish_reason": "stop", "model_name": NAME},
        usage_metadata=UsageMetadata(
            input_tokens=read, output_tokens=len(words), total_tokens=read + len(words)
        ),
    )


def _whole(chunks: Sequence[BaseMessage]) -> ChatResult:
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk  # type: ignore[assignment]
    assert isinstance(whole, AIMessageChunk)  # noqa: S101 - it is a sum of such chunks
    message = AIMessage(
        content=whole.content,
        tool_calls=whole.tool_calls,
        response_metadata=whole.response_metadata,
        usage_metadata=whole.usage_metadata,
    )
    return ChatResult(generations=[ChatGeneration(message=message)])
