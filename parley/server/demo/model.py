"""The demonstration as a chat model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import agenerate_from_stream, generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult

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

    def bind_tools(self, *_: object, **__: object) -> DemoModel:
        """The rules know their tools already."""
        return self

    async def _astream(
        self, messages: list[BaseMessage], *_: object, **__: object
    ) -> AsyncIterator[ChatGenerationChunk]:
        pause, chunks = _reply(messages)
        for chunk in chunks:
            yield chunk
            await asyncio.sleep(self.word_delay * pause)

    async def _agenerate(self, messages: list[BaseMessage], *_: object, **__: object) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages))

    def _generate(self, messages: list[BaseMessage], *_: object, **__: object) -> ChatResult:
        return generate_from_stream(_reply(messages)[1])


def _reply(messages: Sequence[BaseMessage]) -> tuple[float, Iterator[ChatGenerationChunk]]:
    """Return how many times slower than usual the answer comes, and its parts."""
    reading = inspect_thread(messages)
    answer = choose_reply(reading)
    read = sum(len(_WORDS.findall(str(message.text))) for message in messages)
    chunks = _chunks(answer, f"call_{len(messages)}", read)
    return answer.pace, (ChatGenerationChunk(message=chunk) for chunk in chunks)


def _chunks(answer: DemoReply, call_id: str, read: int) -> Iterator[AIMessageChunk]:
    words = _WORDS.findall(answer.text)
    for word in words:
        yield AIMessageChunk(content=[{"type": "text", "text": word, "index": 0}] if answer.file else word)
    if answer.file:
        yield AIMessageChunk(content=[{**answer.file, "index": 1}])
    if answer.tool:
        arguments = json.dumps(answer.arguments, ensure_ascii=False)
        calls = [tool_call_chunk(name=answer.tool, args=arguments, id=call_id, index=0)]
        yield AIMessageChunk(content="", tool_call_chunks=calls)
    used = UsageMetadata(input_tokens=read, output_tokens=len(words), total_tokens=read + len(words))
    ended = {"finish_reason": "stop", "model_name": NAME}
    yield AIMessageChunk(content="", chunk_position="last", response_metadata=ended, usage_metadata=used)
