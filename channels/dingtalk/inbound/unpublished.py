"""An app without a published version: DingTalk does not say who writes, so nobody can be answered."""

from __future__ import annotations

import logging

from parley.channels.dingtalk.api import DingTalkApi
from parley.channels.dingtalk.message_origins import MessageOrigins
from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.fields import text_or_empty
from parley.channels.kit.user_cache import UserCache
from parley.core.model.errors import ChannelError
from parley.core.model.types import JsonObject
from parley.core.texts import Sentence, say

log = logging.getLogger(__name__)

_AGAIN = 600.0
UNPUBLISHED = (
    "nobody can be answered: messages come without senderStaffId, which DingTalk gives once a version of the "
    "app is published; publish one (developer console, version management)"
)


class UnpublishedNotice:
    """Says so in the log, and to who wrote, each at most every ten minutes."""

    def __init__(self, api: DingTalkApi, origins: MessageOrigins, tasks: BackgroundTasks) -> None:
        self._api = api
        self._origins = origins
        self._tasks = tasks
        self._told: UserCache[bool] = UserCache()
        self.seen = False
        """Whether the newest message came without a staff id."""

    def tell(self, data: JsonObject) -> None:
        """Tell somebody whose message came without a staff id."""
        self.seen = True
        who = text_or_empty(data, "senderId")[:256]
        if self._told.fresh(""):
            log.debug("dingtalk: another message without a staff id")
        else:
            log.warning("dingtalk: %s", UNPUBLISHED)
            self._told.put("", True, _AGAIN)
        if who and not self._told.fresh(who):
            self._told.put(who, True, _AGAIN)
            self._origins.remember(data)
            self._tasks.run(self._say(text_or_empty(data, "msgId")))

    async def _say(self, message: str) -> None:
        webhook = self._origins.webhook(message)
        if not webhook:
            return
        # Which language they read is not known yet.
        told = (say(each, Sentence.APP_UNPUBLISHED, platform="DingTalk") for each in ("zh", "en"))
        words = "\n\n".join(told)
        try:
            await self._api.send_in_session(webhook, "Parley", words)
        except ChannelError as error:
            log.info("dingtalk: who wrote was not told that the app is unpublished (%s)", error)
