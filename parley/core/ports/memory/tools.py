"""The port to the tools that agents have on memory: bound to one run's person and place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Protocol

from parley.core.model.errors import ParleyError
from parley.core.model.types import Json, JsonObject

TOOLS_KEY = "parley_tools"
"""Where a run finds its token, and the address of the MCP server."""


class ToolRefused(ParleyError):
    """A call that is not done; the text is for the agent, and has nothing of anybody in it."""


@dataclass(frozen=True, slots=True)
class RunScope:
    """Whose memory a run's tools reach, and what of it: the turn's person, their account and the place."""

    person: str
    account: str
    conversation: str
    assistant: str
    private: bool
    turn: str


class Consent(StrEnum):
    """How a person agrees to a call that needs it."""

    BELOW_ANSWER = "below_answer"
    """They are asked below the answer."""
    BY_CALLER = "by_caller"
    """Whoever calls asks them, and calls again."""
    GIVEN = "given"


class ToolChangeKind(StrEnum):
    """What a tool did, or wants to be done."""

    SAVED = "saved"
    CORRECTED = "corrected"
    ASKED = "asked"
    """To forget a fact: that is for the person to say."""


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A fact that an agent's tool changed, or wants forgotten; the person reads it below the answer."""

    kind: ToolChangeKind
    fact: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool: its name, what it does, for models, and the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Json]


class MemoryTools(Protocol):
    """The tools. `call` raises ToolRefused, StoreUnavailable; a `token` is what `grant` gave the run.

    `takes_consent` says whether the caller may ask the person itself, and call again with their consent.
    """

    @property
    def takes_consent(self) -> bool: ...

    @property
    def categories(self) -> Sequence[str]:
        """Return the categories that a fact may be given."""
        ...

    def grant(self, scope: RunScope) -> JsonObject:
        """Return what a run is given so that it can call; empty where tools are off."""
        ...

    async def admits(self, token: str) -> bool:
        """Return whether a token is that of a run which is under way now. Raises StoreUnavailable."""
        ...

    async def call(
        self, token: str, tool: str, arguments: object, *, consent: Consent = Consent.BELOW_ANSWER
    ) -> Mapping[str, Json]:
        """Do what a tool does. `consent` tells how the person agrees to what needs that."""
        ...

    async def take_changes(self, person: str, turn: str) -> Sequence[ToolChange]:
        """Return what the tools changed in a turn. Raises StoreUnavailable, MemoryFailed."""
        ...


class NullMemoryTools:
    """No tools."""

    takes_consent = True
    categories = ()

    def grant(self, scope: RunScope) -> JsonObject:
        return {}

    async def admits(self, token: str) -> bool:
        return False

    async def call(
        self, token: str, tool: str, arguments: object, *, consent: Consent = Consent.BELOW_ANSWER
    ) -> Mapping[str, Json]:
        raise ToolRefused("There is no such tool.")

    async def take_changes(self, person: str, turn: str) -> Sequence[ToolChange]:
        return ()


NO_MEMORY_TOOLS = NullMemoryTools()

_DAY: dict[str, Json] = {"type": "string", "maxLength": 10, "description": "A day, YYYY-MM-DD."}


def _text(description: str, most: int = 500) -> dict[str, Json]:
    return {"type": "string", "minLength": 1, "maxLength": most, "description": description}


def _limit(usual: int) -> dict[str, Json]:
    return {"type": "integer", "minimum": 1, "maximum": 20, "default": usual}


def _schema(required: list[Json], **properties: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


_FACT = _text("The id of the fact, as memory_search returns it.", 64)
_TOOLS = (
    ToolSpec(
        "memory_search",
        "Search what is remembered about the person you talk to. Returns facts with their ids, best first.",
        _schema(["query"], query=_text("What to look for, in a few words."), limit=_limit(10)),
    ),
    ToolSpec(
        "memory_add",
        "Remember one fact that the person has told in this conversation, in their language. "
        "Use it when they ask you to remember something.",
        _schema(
            ["content"],
            content=_text("The fact, one sentence, in the person's own words as far as possible."),
            category={"type": "string"},
        ),
    ),
    ToolSpec(
        "memory_update",
        "Correct a remembered fact after the person said that it is wrong or has changed.",
        _schema(["fact_id", "content"], fact_id=_FACT, content=_text("What is true now.")),
    ),
    ToolSpec(
        "memory_delete",
        "Ask the person whether a remembered fact is to be forgotten. They decide; nothing is forgotten "
        "before.",
        _schema(["fact_id"], fact_id=_FACT),
    ),
    ToolSpec(
        "conversation_search",
        "Search past conversations with the person you talk to: what they said and what was answered. "
        "Without a query the newest are returned.",
        _schema(
            [],
            query={"type": "string", "maxLength": 500, "default": "", "description": "In a few words."},
            since=_DAY,
            until=_DAY,
            limit=_limit(5),
        ),
    ),
)
TOOL_NAMES = tuple(spec.name for spec in _TOOLS)


def tool_specs(categories: Sequence[str]) -> Sequence[ToolSpec]:
    """Return the memory tools, of which one takes the name of a category."""
    return tuple(map(partial(_with_categories, categories), _TOOLS))


def _with_categories(categories: Sequence[str], spec: ToolSpec) -> ToolSpec:
    properties = spec.schema["properties"]
    if not isinstance(properties, dict) or "category" not in properties:
        return spec
    named: Json = {"type": "string", "enum": list[Json](categories)}
    return replace(spec, schema={**spec.schema, "properties": properties | {"category": named}})
