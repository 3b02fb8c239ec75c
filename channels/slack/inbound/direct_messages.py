"""Which conversation a message of a DM belongs to.

With agent_view the messages of a DM are roots of threads, each a conversation (docs.slack.dev/ai/
migrating-to-agent-messaging). In a plain DM, and beside the old panel, what is said outside threads is one
long conversation. No method tells an app which it is, but Slack sends some things to apps with agent_view
only; that this was seen is kept in the store, so that it holds for every node and after every start.
"""

from __future__ import annotations

from typing import Literal

from parley.channels.slack.fields import required_text_at, text_at
from parley.channels.slack.inbound.event_parser import is_private
from parley.core.model.types import JsonObject
from parley.core.ports.journal import Document, DocumentRepository, update_document

_SEEN = "agent_view"
CONTEXT_CHANGED = "app_context_changed"
HOME_OPENED = "app_home_opened"


class DirectMessages:
    """Where messages of DMs belong, as set, or with "auto" as Slack shows DMs. `key` is that of a document.

    All methods raise StoreUnavailable.
    """

    def __init__(
        self, mode: Literal["auto", "threads", "one"], key: str, documents: DocumentRepository | None
    ) -> None:
        self._mode = mode
        self._key = key
        self._documents = documents
        self._is_agent = False

    async def place(self, event: JsonObject) -> JsonObject:
        """Return an event that says which thread it belongs to, where that is one of a DM."""
        if not is_private(text_at(event, "channel")) or text_at(event, "thread_ts"):
            return event
        if not await self.has_threads():
            return event
        return {**event, "thread_ts": required_text_at(event, "ts")}

    async def has_threads(self) -> bool:
        """Tell whether a message of a DM begins a thread."""
        return await self._is_agent_view() if self._mode == "auto" else self._mode == "threads"

    async def learn(self, event: JsonObject) -> None:
        """Note what only an app with agent_view is sent: durable on return."""
        kind = event.get("type")
        shown = event.get("context") if kind == HOME_OPENED else event.get("app_context")
        if kind == CONTEXT_CHANGED or isinstance(shown, dict):
            await self.note_agent_view()

    async def note_agent_view(self) -> None:
        """Note that the app has agent_view, from which no way leads back."""
        if self._is_agent or await self._is_agent_view():
            return
        if self._documents is not None:
            await update_document(self._documents, self._key, _seen)
        self._is_agent = True

    async def _is_agent_view(self) -> bool:
        if not self._is_agent and self._documents is not None:
            self._is_agent = (await self._documents.get(self._key)).body == _SEEN
        return self._is_agent


def _seen(known: Document) -> tuple[None, str | None]:
    return None, None if known.body == _SEEN else _SEEN
