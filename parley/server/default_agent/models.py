"""The models of the default agent: made ready, and chosen by a person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import httpx
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from parley.core.model.errors import ConfigError
from parley.server.default_agent.run_context import value_of
from parley.server.options import ModelOptions


class ChosenModel(AgentMiddleware):
    """Answers with the model that the run's context names in `model_name`, where there is one."""

    def __init__(self, models: Mapping[str, BaseChatModel]) -> None:
        super().__init__()
        self._models = dict(models)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Swap the model for this call; an unknown name leaves the default."""
        chosen = self._models.get(str(value_of(request.runtime.context, "model_name")))
        return await handler(request.override(model=chosen) if chosen else request)


def chat_model(options: ModelOptions) -> BaseChatModel:
    """The model, ready to be called. Raises ConfigError when its provider is unknown or not installed."""
    settings: dict[str, Any] = {"timeout": _timeout(options), "max_retries": options.max_retries}
    if options.base_url:
        settings["base_url"] = options.base_url
        if options.report_tokens:
            # Left to itself, langchain-openai asks only OpenAI's own server: others may refuse the request.
            settings["stream_usage"] = True
    if options.api_key:
        settings["api_key"] = options.api_key
    try:
        made = cast("BaseChatModel", init_chat_model(options.model, **{**settings, **options.more}))
    except ImportError as error:
        raise ConfigError(
            f"agent.model: {options.model} needs a package that is not installed: {error}"
        ) from error
    except (ValueError, TypeError) as error:
        raise ConfigError(f"agent.model: {options.model} cannot be used: {error}") from error
    if options.vision is not None:
        made.profile = {**(made.profile or {}), "image_inputs": options.vision}
    return made


def _timeout(options: ModelOptions) -> float | httpx.Timeout:
    """Keep langchain-openai from sharing connections, which it does for equal numbers of seconds.

    They belong to an event loop: a second embedded server in this process could use those of the first.
    """
    openai = options.model.startswith(("openai:", "azure_openai:"))
    return httpx.Timeout(options.timeout) if openai else options.timeout
