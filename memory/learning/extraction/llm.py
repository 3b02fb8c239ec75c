"""The language model of extraction, through langchain, which is imported only when needed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from parley.core.model.errors import ConfigError, MemoryFailed
from parley.core.model.types import Json
from parley.memory.learning.extraction.parse_response import content_text
from parley.memory.learning.extraction.response_schema import update_schema
from parley.memory.model.vocabulary import USUAL_VOCABULARY, MemoryVocabulary

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel, LanguageModelInput
    from langchain_core.runnables import Runnable, RunnableConfig

# Tags that keep the call out of the streams of a surrounding graph.
_QUIET = ["nostream", "langsmith:nostream"]
_REFUSALS = (400, 404, 405, 415, 422, 501)
_RETRIES = 1


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A chat model: `name` as `init_chat_model` takes it (`provider:model`), and its provider's parameters.

    Empty values leave the provider's own defaults; `temperature` None too. `timeout` is for one extraction
    with everything that belongs to it, in seconds. Answers have the categories and topics of `vocabulary`.
    """

    name: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    temperature: float | None = None
    timeout: float = 120.0
    vocabulary: MemoryVocabulary = USUAL_VOCABULARY


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer: text, and the arguments of tool calls."""

    text: str
    objects: tuple[Mapping[str, Json], ...] = ()


class ExtractionModel(Protocol):
    """Answers one question. `name` is shown to operators."""

    @property
    def name(self) -> str:
        """Return the name for the status."""
        ...

    async def open(self) -> None:
        """Prepare for use. Raises ConfigError when it can never answer."""
        ...

    async def ask(self, rules: str, about: str) -> ModelAnswer:
        """Call the model once. Raises MemoryFailed."""
        ...


class LangchainModel:
    """A provider's model, asked for structured output until the provider refuses that."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._model: BaseChatModel | None = None
        self._structured: Runnable[LanguageModelInput, Any] | None = None
        self._opening = asyncio.Lock()

    @property
    def name(self) -> str:
        return self._settings.name

    async def open(self) -> None:
        """Import langchain and the provider off the loop: that takes seconds. Raises ConfigError."""
        async with self._opening:
            if self._model is None:
                self._model, self._structured = await asyncio.to_thread(_made, self._settings)

    async def ask(self, rules: str, about: str) -> ModelAnswer:
        await self.open()
        messages = [("system", rules), ("human", about)]
        loop = asyncio.get_running_loop()
        until = loop.time() + self._settings.timeout
        if self._structured is not None:
            said = await self._call(self._structured, messages, until)
            if not (isinstance(said, BaseException) and _refuses(said)):
                return self._answer(said)
            self._structured = None
        return self._answer(await self._call(cast("BaseChatModel", self._model), messages, until))

    def _answer(self, said: Any) -> ModelAnswer:  # noqa: ANN401 - a message of langchain, a dictionary, an error
        if isinstance(said, BaseException):
            raise MemoryFailed(f"The model {self.name} failed: {_reason(said)}") from said
        raw = said.get("raw") if isinstance(said, dict) else said
        calls = getattr(raw, "tool_calls", None) or ()
        text = content_text(getattr(raw, "content", ""))
        return ModelAnswer(text, tuple(call["args"] for call in calls if isinstance(call.get("args"), dict)))

    async def _call(
        self,
        model: Runnable[LanguageModelInput, Any],
        messages: list[tuple[str, str]],
        until: float,
    ) -> Any:  # noqa: ANN401
        """Return the answer or the error: every provider has its own classes, with nothing in common.

        Raises MemoryFailed on timeout.
        """
        config: RunnableConfig = {"tags": _QUIET, "callbacks": [], "run_name": "memory"}
        call = asyncio.ensure_future(model.ainvoke(cast("LanguageModelInput", messages), config))
        left = until - asyncio.get_running_loop().time()
        try:
            await asyncio.wait({call}, timeout=max(left, 0.0))
            if not call.done():
                raise MemoryFailed(f"The model {self.name} said nothing for {self._settings.timeout:g} s.")
            return call.exception() or call.result()
        finally:
            call.cancel()


def _made(settings: ModelSettings) -> tuple[BaseChatModel, Runnable[LanguageModelInput, Any] | None]:
    import httpx
    from langchain.chat_models import init_chat_model

    # langchain-openai shares connections among models with an equal number of seconds. They belong to an
    # event loop, of which a process may have several.
    of_openai = settings.name.startswith(("openai:", "azure_openai:"))
    given: dict[str, Any] = {
        "timeout": httpx.Timeout(settings.timeout) if of_openai else settings.timeout,
        "max_retries": _RETRIES,
        "disable_streaming": True,
        "base_url": settings.base_url or None,
        "api_key": settings.api_key or None,
        "temperature": settings.temperature,
    }
    known = {key: value for key, value in given.items() if value is not None}
    try:
        model = cast("BaseChatModel", init_chat_model(settings.name, **known))
    except ImportError as error:
        raise ConfigError(
            f"memory.model_name: {settings.name} needs a package that is not installed: {error}"
        ) from error
    except ValueError as error:
        raise ConfigError(f"memory.model_name: {settings.name} cannot be used: {error}") from error
    try:
        return model, model.with_structured_output(update_schema(settings.vocabulary), include_raw=True)
    except (NotImplementedError, ValueError, TypeError):
        return model, None


def _refuses(error: BaseException) -> bool:
    """Return whether a provider says that it does not support structured output."""
    return isinstance(error, NotImplementedError) or getattr(error, "status_code", None) in _REFUSALS


def _reason(error: BaseException) -> str:
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__
