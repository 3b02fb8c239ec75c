"""A conversation that grows longer than what the model can read at once.

Before that happens its older part is replaced by a summary, which stays in the thread. What is still too long
for the model, such as one very long message, is shortened for the one call.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.summarization import SummarizationMiddleware
from langchain_core.exceptions import ContextOverflowError, ModelInvalidRequestError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from parley.server.default_agent.run_context import value_of

log = logging.getLogger(__name__)

UNKNOWN_WINDOW = 32_000
"""Tokens that a model is taken to read at once when neither its profile nor the configuration says it: less
than nearly all models of 2026 do."""
_KEPT = 0.3
"""Share of the window that the newest messages keep when the rest becomes a summary."""
_MOST_TRIES = 16
_SHORTEST = 200
"""Characters; a text is not cut shorter."""
_REFUSALS = (
    "context length",
    "context size",
    "context window",
    "context_length_exceeded",
    "maximum context",
    "prompt is too long",
    "too many tokens",
)
"""How servers that speak OpenAI's protocol say that a request is too long (llama.cpp, vLLM, LM Studio)."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """How much a model reads at once.

    `tokens` is for models whose profile does not say it, 0 when nobody knows. A summary is made once a
    conversation fills the share `summarize_at` of the window.
    """

    tokens: int = 0
    summarize_at: float = 0.6

    def of(self, model: BaseChatModel) -> int:
        """Return the window of a model in tokens."""
        known = (model.profile or {}).get("max_input_tokens")
        return self.tokens or (known if isinstance(known, int) and known > 0 else UNKNOWN_WINDOW)


class ConversationSummary(AgentMiddleware):
    """Replaces the older part of a conversation by a summary before the chosen model's window is full."""

    transformers = SummarizationMiddleware.transformers

    def __init__(self, models: Mapping[str, BaseChatModel], window: ContextWindow) -> None:
        super().__init__()
        self._by_name = {name: _summary(model, window) for name, model in models.items()}
        self._usual = next(iter(self._by_name.values()))

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Return the changed messages where it is time."""
        chosen = self._by_name.get(str(value_of(runtime.context, "model_name")), self._usual)
        return await chosen.abefore_model(state, runtime)


def _summary(model: BaseChatModel, window: ContextWindow) -> SummarizationMiddleware[Any, Any]:
    tokens = window.of(model)
    return SummarizationMiddleware(
        model,
        trigger=("tokens", max(1, int(tokens * window.summarize_at))),
        keep=("tokens", max(1, int(tokens * min(_KEPT, window.summarize_at / 2)))),
        trim_tokens_to_summarize=max(1, int(tokens * window.summarize_at)),
    )


class ContextLimit(AgentMiddleware):
    """Sends a request that the model refused as too long once more, each time with less of the past."""

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Call the model; raises its refusal once nothing is left to leave out."""
        messages = list(request.messages)
        for _ in range(_MOST_TRIES):
            try:
                return await handler(request.override(messages=messages))
            except ModelInvalidRequestError as error:
                shorter = shortened(messages) if _is_too_long(error) else None
                if shorter is None:
                    raise
            except ContextOverflowError:
                shorter = shortened(messages)
                if shorter is None:
                    raise
            log.info("the model refused %d messages as too long; trying with less", len(messages))
            messages = shorter
        return await handler(request.override(messages=messages))


def _is_too_long(error: Exception) -> bool:
    words = str(error)[:2_000].lower()
    return any(each in words for each in _REFUSALS)


def shortened(messages: Sequence[AnyMessage]) -> list[AnyMessage] | None:
    """Return about half of the messages, the newest, or the last turn with its longest text cut in half.

    None where nothing more can be left out. A turn stays whole: tool calls keep their results.
    """
    turns = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if len(turns) > 1:
        return list(messages[turns[len(turns) // 2] :])
    longest = max(range(len(messages)), key=lambda at: len(messages[at].text), default=None)
    if longest is None or len(messages[longest].text) <= _SHORTEST:
        return None
    text = messages[longest].text
    half = len(text) // 4
    note = f"[... {len(text) - 2 * half} characters are left out here: too long for the model ...]"
    cut = f"{text[:half]}\n{note}\n{text[-half:]}"
    return [
        message.model_copy(update={"content": cut}) if at == longest else message
        for at, message in enumerate(messages)
    ]
