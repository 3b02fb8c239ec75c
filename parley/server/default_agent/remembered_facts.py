"""What is remembered of a person, shown to the model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import HumanMessage

from parley.server.default_agent.run_context import value_of
from parley.server.person_words import HIDDEN


class RememberedFacts(AgentMiddleware):
    """Puts what the run's context remembers of the person directly above their newest message.

    The model reads it there, the thread never has it.
    """

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Add the message for this call."""
        memory = value_of(request.runtime.context, "memory")
        if not isinstance(memory, str) or not memory:
            return await handler(request)
        messages = list(request.messages)
        people = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
        messages.insert(
            people[-1] if people else len(messages), HumanMessage(memory, additional_kwargs={HIDDEN: True})
        )
        return await handler(request.override(messages=messages))
