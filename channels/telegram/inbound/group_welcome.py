"""What the bot says when it is taken into a group. At most once for each time, and nothing waits for it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.formatting import FormattedMessage
from parley.channels.telegram.inbound.membership import JoinedGroup
from parley.channels.telegram.mapping import NAME
from parley.core.model.address import Conversation
from parley.core.model.errors import ChannelError, DocumentConflict
from parley.core.model.options import ChannelOptions
from parley.core.ports.journal import DocumentRepository
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)


class GroupWelcome:
    """Says how the bot is talked to, while it is open. With `on` false nothing is said."""

    def __init__(
        self,
        api: TelegramApi,
        documents: DocumentRepository,
        rules: Callable[[Conversation], ChannelOptions],
        *,
        on: bool,
        name: str = NAME,
    ) -> None:
        # Another bot in the same group is under another name.
        self._key = f"{name}/welcomed"
        self._api = api
        self._documents = documents
        self._rules = rules
        self._on = on
        self._tasks: BackgroundTasks | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Speak meanwhile; what is under way at the end is left."""
        async with BackgroundTasks() as self._tasks:
            try:
                yield
            finally:
                self._tasks = None

    async def greet(self, joined: JoinedGroup, username: str) -> None:
        """Have the group welcomed, once it is stored that it is. Raises StoreUnavailable."""
        if not self._on or self._tasks is None:
            return
        known = await self._documents.get(f"{self._key}/{joined.chat}")
        if known.body == str(joined.number):
            return
        try:
            await self._documents.set(replace(known, body=str(joined.number)))
        except DocumentConflict:
            # Another node says it.
            return
        self._tasks.run(self._say(joined, username))

    async def _say(self, joined: JoinedGroup, username: str) -> None:
        rules = self._rules(Conversation(NAME, str(joined.chat)))
        language = rules.language or language_of(joined.person.language)
        words = FormattedMessage(say(language, Sentence.GROUP_WELCOME, mention=f"@{username}"))
        try:
            await self._api.send(TelegramDestination(joined.chat), words, silent=True)
        except ChannelError as error:
            log.info("telegram: group %s is not welcomed: %s", joined.chat, error)
