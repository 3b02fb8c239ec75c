"""Pictures in a conversation with a model that cannot see them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage

from parley.core.texts import AgentSentence, language_of, say
from parley.server.default_agent.run_context import identity_of

_PICTURES = ("image", "image_url")
_LEFT_OUT = "[A picture is here, which you cannot see: this model reads text only. Say so.]"


class PicturesForModels(AgentMiddleware):
    """Leaves pictures out for models that cannot see them, and says so to the model and to the person.

    A model sees them unless its profile says that it does not. The thread keeps them for another model.
    """

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Put a sentence in their place for this call."""
        if (request.model.profile or {}).get("image_inputs") is not False:
            return await handler(request)
        messages = [_without_pictures(message) for message in request.messages]
        if _newest(messages) is not _newest(request.messages):
            _tell(request)
        return await handler(request.override(messages=messages))


def model_name(model: BaseChatModel) -> str:
    """Return what a model's provider calls it."""
    return str(getattr(model, "model_name", "") or getattr(model, "model", "") or type(model).__name__)


def _tell(request: ModelRequest) -> None:
    language = language_of(str(identity_of(request.runtime.context).get("language", "")))
    title = say(language, AgentSentence.STEP_NO_PICTURES, model=model_name(request.model))
    request.runtime.stream_writer({"step": {"id": "pictures", "title": title, "status": "failed"}})


def _newest(messages: list[AnyMessage]) -> AnyMessage | None:
    return next((each for each in reversed(messages) if isinstance(each, HumanMessage)), None)


def _without_pictures(message: AnyMessage) -> AnyMessage:
    if not isinstance(message, HumanMessage) or isinstance(message.content, str):
        return message
    if not any(_is_picture(block) for block in message.content):
        return message
    parts = [block if isinstance(block, str) else _words(block) for block in message.content]
    return message.model_copy(update={"content": "\n".join(filter(None, parts))})


def _words(block: Mapping[str, Any]) -> str:
    return _LEFT_OUT if _is_picture(block) else str(block.get("text") or "")


def _is_picture(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") in _PICTURES
