"""The tool with which the model asks a person to sign in to a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import interrupt

from parley.core.texts import AgentSentence, language_of, say
from parley.server.accounts.sign_ins import PATIENCE
from parley.server.default_agent.models import identity_of

SIGN_IN = "sign_in"


class OffersSignIn(Protocol):
    """A server where people have accounts."""

    def has_signed_in(self, who: Mapping[str, Any]) -> bool:
        """Return whether a person has done so."""
        ...

    async def begin(self, who: Mapping[str, Any], call: str) -> str:
        """Return a link for them; the same for one call of the tool."""
        ...


def sign_in_tool(server: str, accounts: OffersSignIn) -> BaseTool:
    """Return the tool. The run pauses until the person has answered; the model never has the link."""

    async def sign_in(runtime: ToolRuntime[Any, Any]) -> str:
        who = identity_of(runtime.context)
        if accounts.has_signed_in(who):
            return f"The person has signed in to {server}. Its tools can be used from your next step on."
        if not who.get("private"):
            return (
                f"Others read along here, so no link was sent. Ask the person to write to you in a private "
                f"chat that they want to sign in to {server}."
            )
        # A task that is run again with the answer has the same id; ids of calls are what a model makes up.
        info = runtime.execution_info
        link = await accounts.begin(who, f"{info.task_id if info else ''} {runtime.tool_call_id}")
        language = language_of(str(who.get("language", "")))
        minutes = round(PATIENCE / 60)
        asked = say(language, AgentSentence.SIGN_IN_ASK, server=server, link=link, minutes=minutes)
        interrupt(
            {
                "question": asked,
                "options": [
                    say(language, AgentSentence.SIGN_IN_DONE),
                    say(language, AgentSentence.SIGN_IN_LATER),
                ],
            }
        )
        return f"The person has not signed in to {server}. Go on without it, and say so if it is needed."

    return StructuredTool.from_function(
        coroutine=sign_in,
        name=f"{server}_{SIGN_IN}",
        description=(
            f"Ask the person to sign in to {server} with their own account. Call it when they want something "
            f"that needs {server}: its tools are there afterwards."
        ),
        metadata={"readOnlyHint": True},
    )
