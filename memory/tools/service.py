"""The memory tools: each call is done for the token's person, with what the token's place may know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from parley.core.inbound.live_turns import LiveTurns
from parley.core.model.address import Conversation
from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.core.model.types import Json, JsonObject
from parley.core.ports.memory.admin import FactChange
from parley.core.ports.memory.past_turns import PastTurnQuery
from parley.core.ports.memory.tools import Consent, RunScope, ToolChange, ToolChangeKind, ToolRefused
from parley.memory.learning.extraction.turn_filter import LearnableTurn
from parley.memory.learning.orders import orders_assistant
from parley.memory.learning.screening import is_supported
from parley.memory.model.document import Fact
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import Groups
from parley.memory.service import MemoryService
from parley.memory.text.secrets.masking import mask_secrets
from parley.memory.tools.arguments import check_arguments
from parley.memory.tools.changes import ToolChanges, planned_key
from parley.memory.tools.run_tokens import RunTokens

_EXCERPT = 1_000
_OVER = "This token is not that of a run that is under way."
_UNSAID = "The person did not say that in this conversation. Only their own words are remembered: ask them."

Arguments: TypeAlias = Mapping[str, Json]


class ScopedMemoryTools:
    """Implements the port `MemoryTools`. `address` is the MCP server's; `on`: runs get tools.

    A token counts while its turn runs: when the answer is there, nobody can use it any more.
    """

    takes_consent = True

    def __init__(
        self,
        memory: MemoryService,
        turns: LiveTurns,
        tokens: RunTokens,
        changes: ToolChanges,
        address: str,
        clock: Callable[[], float],
        *,
        on: bool = True,
    ) -> None:
        self._memory = memory
        self._turns = turns
        self._tokens = tokens
        self._changes = changes
        self._address = address
        self._clock = clock
        self._on = on
        self._tools: Mapping[str, Callable[[RunScope, Arguments, str], Awaitable[JsonObject]]] = {
            "memory_search": self._search,
            "memory_add": self._add,
            "memory_update": self._update,
            "conversation_search": self._recall,
        }

    @property
    def categories(self) -> Sequence[str]:
        return self._memory.admin.given_categories

    def grant(self, scope: RunScope) -> JsonObject:
        if not self._on or not self._is_usable(scope):
            return {}
        return {"url": self._address, "token": self._tokens.issue(scope)}

    async def admits(self, token: str) -> bool:
        return await self._scope(token) is not None

    async def call(
        self, token: str, tool: str, arguments: object, *, consent: Consent = Consent.BELOW_ANSWER
    ) -> Mapping[str, Json]:
        admitted = await self._scope(token)
        if admitted is None:
            raise ToolRefused(_OVER)
        scope, words = admitted
        checked = check_arguments(tool, arguments, self.categories)
        try:
            if (await self._memory.admin.repository.load_merged(scope.person)).notes.off:
                raise ToolRefused("The person has switched memory off.")
            if tool == "memory_delete":
                return await self._delete(scope, checked, consent)
            return await self._tools[tool](scope, checked, words)
        except (MemoryFailed, StoreUnavailable) as error:
            raise ToolRefused("The memory cannot be used at this moment.") from error

    async def take_changes(self, person: str, turn: str) -> Sequence[ToolChange]:
        noted = await self._changes.take(turn)
        if not noted:
            return ()
        known = (await self._memory.overview(person)).facts
        facts = {planned_key(fact.content): fact.content for fact in known}
        facts |= {fact.id: fact.content for fact in known}
        return tuple(
            ToolChange(change.kind, change.fact, facts[change.fact])
            for change in noted
            if change.fact in facts
        )

    async def _scope(self, token: str) -> tuple[RunScope, str] | None:
        """Return whose token it is and what they said; None unless their turn runs, where memory is on."""
        scope = self._tokens.read(token)
        if scope is None or not self._on or not self._is_usable(scope):
            return None
        words = await self._turns.words(scope.conversation, scope.turn, scope.account, private=scope.private)
        return None if words is None else (scope, words)

    def _is_usable(self, scope: RunScope) -> bool:
        config = self._memory.admin.config
        return bool(config["enabled"]) and (scope.private or config["groups"] != Groups.OFF)

    async def _visible(self, scope: RunScope) -> dict[str, Fact]:
        """Return the facts of the person that this place may know, by id."""
        config = self._memory.admin.config
        assistant = scope.assistant if config["per_assistant"] else None
        facts = await self._memory.admin.repository.facts(scope.person, assistant)
        everything = scope.private or config["groups"] == Groups.SHARED
        return {fact.id: fact for fact in facts if everything or fact.shared}

    async def _search(self, scope: RunScope, given: Arguments, words: str) -> JsonObject:
        visible = await self._visible(scope)
        found = await self._memory.admin.repository.search(scope.person, str(given["query"]))
        shown = [_fact(visible[fact.id]) for fact in found if fact.id in visible]
        return {"facts": list(shown[: int(str(given["limit"]))])}

    async def _add(self, scope: RunScope, given: Arguments, words: str) -> JsonObject:
        content = self._said(str(given["content"]), words, await self._visible(scope))
        account = "" if scope.account == scope.person else scope.account
        async with self._changes.planned(scope.turn, ToolChangeKind.SAVED, content) as made:
            fact = await self._memory.admin.repository.add(
                scope.person,
                content,
                self._now(),
                str(given["category"]),
                account,
                shared=not scope.private,
            )
            made(fact.id)
        return {"saved": _fact(fact)}

    async def _update(self, scope: RunScope, given: Arguments, words: str) -> JsonObject:
        visible = await self._visible(scope)
        known = _known(visible, given)
        content = self._said(str(given["content"]), f"{words}\n{known.content}", visible)
        async with self._changes.planned(scope.turn, ToolChangeKind.CORRECTED, content) as made:
            edited = await self._memory.admin.repository.edit(
                scope.person, known.id, FactChange(content=content), self._now()
            )
            if edited is None:
                raise ToolRefused("There is nothing to remember in that.")
            made(edited.id)
        return {"corrected": _fact(edited)}

    async def _delete(self, scope: RunScope, given: Arguments, consent: Consent) -> JsonObject:
        known = _known(await self._visible(scope), given)
        if consent is Consent.GIVEN:
            return {"forgotten": len(await self._memory.forget(scope.person, known.id))}
        if consent is Consent.BELOW_ANSWER:
            await self._changes.note(scope.turn, ToolChange(ToolChangeKind.ASKED, known.id))
        told = "Nothing is forgotten yet. The person is asked below your answer, and decides."
        return {"asked": _fact(known), "note": told}

    async def _recall(self, scope: RunScope, given: Arguments, words: str) -> JsonObject:
        place = Conversation.parse(scope.conversation)
        per_assistant = bool(self._memory.admin.config["per_assistant"])
        found = await self._memory.past_turns.search(
            PastTurnQuery(
                scope.person,
                str(given["query"]),
                chat="" if scope.private else Conversation(place.channel, place.chat).key,
                assistant=scope.assistant if per_assistant else None,
                since=str(given["since"]),
                until=str(given["until"]),
                limit=int(str(given["limit"])),
            )
        )
        turns: list[Json] = [
            {
                "at": datetime.fromtimestamp(turn.at, UTC).isoformat(timespec="minutes"),
                "channel": Conversation.parse(turn.conversation).channel,
                "said": turn.said[:_EXCERPT],
                "answered": turn.reply[:_EXCERPT],
            }
            for turn in found
        ]
        return {"turns": turns}

    def _said(self, content: str, words: str, visible: Mapping[str, Fact]) -> str:
        """Return a text that may be stored: the person's own words, no order to the assistant, no secret."""
        if orders_assistant(content):
            raise ToolRefused("That is an instruction to the assistant, and no fact about the person.")
        turn = LearnableTurn("", "", "", words, "", "", "", private=True)
        if not is_supported(content, [turn], [fact.content for fact in visible.values()]):
            raise ToolRefused(_UNSAID)
        return mask_secrets(content).text

    def _now(self) -> str:
        return format_timestamp(self._clock())


def _known(visible: Mapping[str, Fact], given: Arguments) -> Fact:
    fact = visible.get(str(given["fact_id"]))
    if fact is None:
        raise ToolRefused("There is no fact of this id. Search for it first.")
    return fact


def _fact(fact: Fact) -> dict[str, Json]:
    return {
        "id": fact.id,
        "content": fact.content,
        "category": fact.category,
        "date": fact.created_at[:10],
        **({"until": fact.until} if fact.until else {}),
    }
