"""An agent that asks people in each way there is: by LangChain's middleware, and by tools that interrupt.

It calls the tool that is named to it, and then says what that gave.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, tool
from langgraph.types import interrupt

_CALLS: Mapping[str, Mapping[str, str]] = {
    "send_email": {"to": "ada@example.org", "subject": "lunch"},
    "delete_file": {"path": "/tmp/old"},
    "ask_name": {},
    "pick_colour": {},
}


class Caller(BaseChatModel):
    """Calls the tool whose name it is told, and repeats what came of it."""

    @property
    def _llm_type(self) -> str:
        return "caller"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - the base class's signature
    ) -> ChatResult:
        last = messages[-1]
        said = AIMessage(f"It gave: {last.text}")
        name = last.text.strip()
        if not isinstance(last, ToolMessage) and name in _CALLS:
            call = {"name": name, "args": dict(_CALLS[name]), "id": f"call_{len(messages)}"}
            said = AIMessage(f"I will use {name}.", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=said)])


@tool
def send_email(to: str, subject: str) -> str:
    """Send an e-mail."""
    return f"e-mail about {subject} to {to}"


@tool
def delete_file(path: str) -> str:
    """Delete a file, once somebody at the agent inbox agrees."""
    allowed = {f"allow_{each}": True for each in ("accept", "edit", "ignore", "respond")}
    request = {"action": "delete_file", "args": {"path": path}}
    (answer,) = interrupt([{"action_request": request, "config": allowed, "description": ""}])
    return json.dumps(answer)


@tool
def ask_name() -> str:
    """Ask a plain question."""
    return f"the name {interrupt('What is it called?')}"


@tool
def pick_colour() -> str:
    """Ask for one of several things."""
    chosen = interrupt({"question": "Which colour?", "options": ["red", "blue"], "allow_other": True})
    return f"the colour {chosen}"


graph = create_agent(
    Caller(),
    tools=[send_email, delete_file, ask_name, pick_colour],
    middleware=[
        HumanInTheLoopMiddleware(
            interrupt_on={"send_email": {"allowed_decisions": ["approve", "edit", "reject", "respond"]}}
        )
    ],
)
