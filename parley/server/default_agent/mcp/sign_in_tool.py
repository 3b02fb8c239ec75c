"""The tool with which the model asks a person to sign in to a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import interrupt

from parley.core.texts import AgentSentence, language_of, say
from parley.server.accounts.sign_ins import PATIENCE
from parley.server.default_agent.run_context import identity_of

SIGN_IN = "sign_in"


class SignInRefused(Exception):
    """A server has people sign in at `origin`, where nobody is sent; "" where that cannot be read."""

    def __init__(self, server: str, origin: str) -> None:
        super().__init__(
            f"{server} wants people to sign in at {origin or 'an address that cannot be read'}, which is not "
            "safe to open: no link was sent. Tell the person so, and that whoever runs Parley finds the "
            "remedy in its log. Another try does not help."
        )
        self.origin = origin


class OffersSignIn(Protocol):
    """A server where people have accounts."""

    def has_signed_in(self, who: Mapping[str, Any]) -> bool:
        """Return whether a person has done so."""
        ...

    async def begin(self, who: Mapping[str, Any], call: str) -> str:
        """Return a link for them; the same for one call of the tool. Raises SignInRefused."""
        ...


def _question(server: str, link: str, language: str) -> dict[str, str | list[str]]:
    minutes = round(PATIENCE / 60)
    asked = say(language, AgentSentence.SIGN_IN_ASK, server=server, link=link, minutes=minutes)
    answers = (AgentSentence.SIGN_IN_DONE, AgentSentence.SIGN_IN_LATER)
    return {"question": asked, "options": [say(language, each) for each in answers]}


def _refused(server: str, origin: str, language: str, call: str | None) -> dict[str, str | None]:
    """Return the step that tells a person why they get no link, whatever the model says."""
    title = say(language, AgentSentence.SIGN_IN_REFUSED, server=server)
    where = origin or say(language, AgentSentence.SIGN_IN_NO_ADDRESS)
    details = say(language, AgentSentence.SIGN_IN_REFUSED_WHY, server=server, where=where)
    return {"id": call, "title": title, "details": details}


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
        language = language_of(str(who.get("language", "")))
        try:
            link = await accounts.begin(who, f"{info.task_id if info else ''} {runtime.tool_call_id}")
        except SignInRefused as error:
            runtime.stream_writer({"step": _refused(server, error.origin, language, runtime.tool_call_id)})
            raise
        interrupt(_question(server, link, language))
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
