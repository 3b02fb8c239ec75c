"""The Slack adapter."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import aiohttp
from starlette.routing import BaseRoute

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.files import file_too_large
from parley.channels.kit.lru import LruCache
from parley.channels.kit.receipts import Receipts
from parley.channels.kit.webhook import hook_path
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.config import Config
from parley.channels.slack.file_objects import may_fetch
from parley.channels.slack.file_transfer import SlackFileTransfer
from parley.channels.slack.formatting import MAX_MESSAGE_CHARS
from parley.channels.slack.inbound.context import SlackInboundContext
from parley.channels.slack.inbound.direct_messages import DirectMessages
from parley.channels.slack.inbound.dispatcher import SlackDispatcher
from parley.channels.slack.inbound.earlier_messages import SlackHistory
from parley.channels.slack.inbound.event_parser import NAME, STOP
from parley.channels.slack.inbound.events_api import EventsApiEndpoint, PayloadHandler
from parley.channels.slack.inbound.membership import MembershipFilter
from parley.channels.slack.inbound.slash_commands import COMMAND_ID
from parley.channels.slack.inbound.socket_mode import SocketMode, SocketTiming
from parley.channels.slack.manifest import COSTS, SCOPES
from parley.channels.slack.outbound.agent_session import SlackStopReply
from parley.channels.slack.outbound.command_reply import SlackCommandReply
from parley.channels.slack.outbound.receipts import SlackReceiptCalls
from parley.channels.slack.outbound.reply import SlackReply, SlackReplyContext, SlackReplyTiming
from parley.channels.slack.users import SlackBotIdentity, SlackUserCache
from parley.core.model.address import Conversation
from parley.core.model.attachments import Attachment
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.errors import (
    AuthenticationRefused,
    ChannelError,
    ChannelUnavailable,
    RateLimited,
    unwrap_exception_group,
)
from parley.core.model.feedback import CommentWay
from parley.core.model.options import ChannelOptions
from parley.core.model.types import JsonObject, ReplyTarget
from parley.core.ports.channel import (
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    PreflightResult,
    Reply,
)
from parley.core.ports.journal import DocumentRepository
from parley.core.ports.no_core import no_rules

log = logging.getLogger(__name__)

MOST_TITLES = 1000


def create(config: Config, services: ChannelServices) -> SlackChannel:
    """Return the channel as configured."""
    return SlackChannel(
        config, rules=services.rules, documents=services.documents, known_as=services.name or NAME
    )


class SlackChannel(Channel):
    """One app in one workspace, over Socket Mode or, with `events: http`, posted to."""

    name = NAME

    def __init__(
        self,
        config: Config,
        rhythm: SlackReplyTiming = SlackReplyTiming(),  # noqa: B008 - frozen
        timing: SocketTiming = SocketTiming(),  # noqa: B008 - frozen
        clock: Callable[[], float] = time.monotonic,
        rules: Callable[[Conversation], ChannelOptions] = no_rules,
        documents: DocumentRepository | None = None,
        known_as: str = NAME,
    ) -> None:
        self.longest_call = config.request_timeout
        self.capabilities = Capabilities(
            max_chars=MAX_MESSAGE_CHARS,
            edit_interval=1.0,
            group_edit_interval=1.0,
            buttons=True,
            edits=True,
            history=True,
            comments=CommentWay.FORM,
            timed=True,
        )
        self._config = config
        self._rules = rules
        self._documents = documents
        self._known_as = known_as
        self._titles: LruCache[str] = LruCache(MOST_TITLES)
        self._responses: LruCache[str] = LruCache(MOST_TITLES)
        self._api = SlackApi(config)
        self._posted_to = config.events == "http"
        self._hook = EventsApiEndpoint(config.signing_secret, timing.answer)
        self._transfer = SlackFileTransfer(self._api, config)
        self._people = SlackUserCache(self._api.person)
        self._timing = timing
        self._me = SlackBotIdentity("", "", "")
        self._receipts = Receipts(SlackReceiptCalls(self._api)) if config.receipt == "on" else None
        self._means = self._reply_context(rhythm, clock)

    def _reply_context(self, rhythm: SlackReplyTiming, clock: Callable[[], float]) -> SlackReplyContext:
        return SlackReplyContext(
            self._api,
            self._transfer,
            rhythm,
            self._who,
            clock,
            # What is Slack's own way need not be asked for.
            steps="" if self._config.steps == "timeline" else self._config.steps,
        )

    async def listen(self, inbox: Inbox) -> None:
        """Hear events. Raises AuthenticationRefused for wrong tokens, ChannelUnavailable otherwise."""
        self._api.refused.clear()
        async with self._api.connected() as session, BackgroundTasks() as errands:
            self._me, scopes = await self._api.me()
            for _, text in _lacking(scopes):
                log.warning("slack: %s", text)
            context = SlackInboundContext(
                inbox,
                self._me,
                self._people,
                self._door(self._me),
                self._direct(),
                self._titles,
                self._responses,
            )
            prompts = [(prompt.title, prompt.message) for prompt in self._config.suggested_prompts]
            events = SlackDispatcher(self._api, context, errands, prompts)
            with unwrap_exception_group(ChannelError):
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._watch_tokens(), name="slack tokens")
                    if self._receipts is not None:
                        group.create_task(self._receipts.run(), name="slack receipts")
                    group.create_task(self._hear(events.dispatch, session, inbox), name="slack events")

    async def preflight(self) -> PreflightResult:
        """Ask Slack who the app is, what it may do, and for leave to connect."""
        async with self._api.connected():
            me, scopes = await self._api.me()
            if not self._posted_to:
                await self._api.socket_url()
        return PreflightResult(me.describe(), _lacking(scopes))

    async def probe_connection(self) -> str:
        """Open a Socket Mode connection for a moment; where Slack posts to us there is none."""
        if self._posted_to:
            path = hook_path(self._known_as)
            return f"Slack connects to us at {path}; only Slack can tell whether it gets through"
        async with self._api.connected() as session:
            await SocketMode(self._api, _hear_nothing, self._timing).probe(session)
        return "a Socket Mode connection was opened and closed"

    def routes(self) -> Sequence[BaseRoute]:
        """Return where Slack posts to, if it is to."""
        return self._hook.routes() if self._posted_to else ()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return a reply in the target's chat and thread."""
        conversation, asker = target.conversation, target.asker
        # What grows is for a person; to a bot it is posted whole.
        person = "" if asker.bot else asker.id
        place = SlackDestination(conversation.chat, conversation.topic, person, asker.workspace)
        if target.reply_to.startswith(f"{STOP}:"):
            return SlackStopReply(self._api, place)
        if target.reply_to.startswith(f"{COMMAND_ID}:"):
            url = self._responses.get(target.reply_to) or ""
            url = url if may_fetch(url, self._config.api_url) else ""
            return SlackCommandReply(self._api, self._transfer, place, url, target.handle, checkpoint)
        title = self._titles.get(target.reply_to) or ""
        reply = SlackReply(self._means, target, place, checkpoint, title)
        return reply if self._receipts is None else self._receipts.around(reply, target)

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        """Return what was said above a message, from its thread or its chat."""
        me = await self._who()
        return await SlackHistory(self._api, self._people, me, self._door(me)).read(request)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream a file of a message."""
        most = min(limit, self._config.max_file_in)
        if attachment.size > most:
            raise file_too_large(most)
        return await self._transfer.fetch(attachment.handle, into, most)

    def _direct(self) -> DirectMessages:
        # Another app under the same name may be of another kind.
        key = f"slack/experience/{self._known_as}/{self._me.bot}"
        return DirectMessages(self._config.direct, key, self._documents)

    def _door(self, me: SlackBotIdentity) -> MembershipFilter:
        config = self._config
        return MembershipFilter(self._people, me, config.allowed_users, config.open_to_everyone, self._rules)

    async def _hear(self, hear: PayloadHandler, session: aiohttp.ClientSession, inbox: Inbox) -> None:
        def online() -> None:
            inbox.online()
            log.info("slack: listening as %s", self._me.describe())

        if self._posted_to:
            with self._hook.open(hear):
                online()
                await self._look_after_tokens()
        else:
            await SocketMode(self._api, hear, self._timing).run(session, online)

    async def _look_after_tokens(self) -> None:
        """Ask now and then: where Slack calls us, nothing else tells that a token was revoked."""
        while True:
            await asyncio.sleep(self._timing.pulse)
            try:
                await self._api.me()
            except (ChannelUnavailable, RateLimited) as error:
                # What is posted is stored all the same, and answers are tried again.
                log.warning("slack: %s", error)

    async def _watch_tokens(self) -> None:
        """Raise AuthenticationRefused once any call learns that a token was revoked."""
        await self._api.refused.wait()
        raise AuthenticationRefused("Slack refused a token while we were connected", "bot_token", "app_token")

    async def _who(self) -> SlackBotIdentity:
        """Return who we are, also for a reply that goes on before listening began."""
        if not self._me.user:
            self._me, _ = await self._api.me()
        return self._me


async def _hear_nothing(payload: JsonObject) -> None:
    """Answer no envelope."""


def _lacking(scopes: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return the scopes that the app was installed without; none where Slack does not tell which it has."""
    missing = [scope for scope in SCOPES if scope not in scopes]
    if not scopes or not missing:
        return ()
    named = ", ".join(f"{scope} ({COSTS[scope]})" if scope in COSTS else scope for scope in missing)
    text = f"the app lacks scopes: {named}; add them on its page under OAuth & Permissions"
    return (("bot_token", f"{text}, and install it again (docs/slack-manifest.yaml has all)"),)
