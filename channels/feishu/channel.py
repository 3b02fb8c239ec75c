"""The Feishu adapter."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.config import DOMAINS, Config
from parley.channels.feishu.file_transfer import FeishuFileTransfer
from parley.channels.feishu.formatting import MAX_CARD_BYTES
from parley.channels.feishu.inbound import frame_codec
from parley.channels.feishu.inbound.card_actions import CardActionHandler
from parley.channels.feishu.inbound.earlier_messages import FeishuHistory
from parley.channels.feishu.inbound.event_handler import FeishuEventHandler
from parley.channels.feishu.inbound.event_parser import NAME
from parley.channels.feishu.inbound.forwarded_conversation import ForwardedConversations
from parley.channels.feishu.inbound.quoted_messages import QuotedMessages
from parley.channels.feishu.inbound.recalled_messages import RecalledMessages
from parley.channels.feishu.inbound.user_lookup import FeishuUserLookup
from parley.channels.feishu.inbound.websocket import Endpoint, EventResult, LongConnection, open_websocket
from parley.channels.feishu.inbound.welcome import FeishuWelcome
from parley.channels.feishu.outbound.message_part import RenderLevelPolicy
from parley.channels.feishu.outbound.receipts import FeishuReceiptCalls
from parley.channels.feishu.outbound.reply import FeishuReply, FeishuReplyContext
from parley.channels.feishu.pressed_cards import PressedCards
from parley.channels.feishu.scopes import (
    ALWAYS,
    BOTS,
    HISTORY,
    RECEIPTS,
    WELCOME,
    NeededScope,
    missing_scopes,
)
from parley.channels.feishu.speech_recognition import FeishuSpeech
from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.files import file_too_large
from parley.channels.kit.lru import LruCache
from parley.channels.kit.receipts import Receipts
from parley.core.model.address import Conversation
from parley.core.model.attachments import Attachment, StoredFile
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.errors import DeliveryRejected
from parley.core.model.feedback import CommentWay
from parley.core.model.types import ReplyTarget
from parley.core.ports.channel import (
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    PreflightResult,
    Reply,
)
from parley.core.ports.speech import HeardSpeech

log = logging.getLogger(__name__)

_MOST_SAID = 2000


def create(config: Config, services: ChannelServices) -> FeishuChannel:
    """Return the channel as configured. Raises ConfigError when the SDK is not one that we know."""
    frame_codec.check()
    return FeishuChannel(config, services)


class FeishuChannel(Channel):
    """One app's bot, on a long connection."""

    name = NAME

    def __init__(self, config: Config, services: ChannelServices) -> None:
        self.longest_call = config.request_timeout
        self.capabilities = Capabilities(
            max_chars=MAX_CARD_BYTES,
            edit_interval=0.3,
            group_edit_interval=0.5,
            buttons=True,
            edits=True,
            history=True,
            comments=CommentWay.REPLY,
            timed=True,
        )
        self._config = config
        self._services = services
        self._me = ""
        self._inactive = ""
        self._max_file_in = config.max_file_in
        self._guests = frozenset(config.allowed_users) - {"*"}
        self._api = FeishuApi(config)
        self._speech = FeishuSpeech(self._api, services.decoder)
        self._names = FeishuUserLookup(self._api)
        self._pressed = PressedCards()
        self._files = FeishuFileTransfer(self._api, config)
        self._shared = FeishuReplyContext(
            self._api, self._files, RenderLevelPolicy(), LruCache(_MOST_SAID), self._pressed
        )
        self._receipts = Receipts(FeishuReceiptCalls(self._api)) if config.receipt == "on" else None

    async def preflight(self) -> PreflightResult:
        """Ask Feishu for an access token, and who the bot is."""
        async with self._api.connected():
            await self._api.tokens.renew()
            bot = await self._api.bot()
            inactive = (("app_id", bot.inactive),) if bot.inactive else ()
            lacking = await self._lacking()
            if self.recognizes and (why := await self._speech.refusal()):
                lacking = (*lacking, ("app_id", why))
            return PreflightResult(bot.name or bot.open_id, (*inactive, *lacking))

    async def probe_connection(self) -> str:
        """Open a long connection for a moment; what came on it meanwhile, Feishu sends again."""
        async with self._api.connected() as session:
            await self._api.tokens.renew()
            async with open_websocket(session, Endpoint.read(await self._api.endpoint())):
                return "a long connection was opened and closed"

    async def listen(self, inbox: Inbox) -> None:
        """Take events until the connection ends, which always raises.

        Raises AuthenticationRefused for wrong credentials and apps without a bot, else ChannelUnavailable.
        """
        async with self._api.connected() as session:
            await self._api.tokens.renew()
            bot, where = await asyncio.gather(self._api.bot(), self._api.endpoint())
            self._me, endpoint = bot.open_id, Endpoint.read(where)
            me = bot.open_id
            self._note_inactive(bot.inactive)
            forwarded = ForwardedConversations(self._api, self._names, me)
            quotes = QuotedMessages(self._api, me, self._shared.said, forwarded)
            intake = self._intake(inbox, quotes)
            presses = self._presses(inbox)

            async with BackgroundTasks() as tasks, open_websocket(session, endpoint) as socket:
                welcome = self._welcome(tasks)

                async def take(payload: bytes) -> EventResult:
                    self._inactive = ""
                    if pressed := await presses.take(payload):
                        return pressed
                    greeted = None if welcome is None else await welcome.take(payload)
                    return EventResult(await intake.take(payload) if greeted is None else greeted)

                inbox.online()
                log.info("feishu: listening as %s", me)
                await LongConnection(socket, endpoint, take).run(*self._beside())

    @property
    def trouble(self) -> str:
        """Return why nobody can use the app, as Feishu said at the connection; any event disproves it."""
        return self._inactive

    def _note_inactive(self, why: str) -> None:
        self._inactive = why
        if why:
            log.warning("feishu: nobody can write to the bot: %s", why)

    def _welcome(self, tasks: BackgroundTasks) -> FeishuWelcome | None:
        if not self._config.welcome:
            return None
        # Feishu does not tell which language people speak.
        usual = "zh" if self._config.domain == DOMAINS["feishu"] else "en"

        def language(place: Conversation) -> str:
            return self._services.rules(place).language or usual

        allowed = frozenset(self._config.allowed_users)
        return FeishuWelcome(self._api, self._services, allowed, language, tasks)

    def _beside(self) -> tuple[Callable[[], Awaitable[None]], ...]:
        """Return what goes on while we listen."""
        receipts = () if self._receipts is None else (self._receipts.run,)
        return (self._api.tokens.keep_fresh, *receipts)

    def _intake(self, inbox: Inbox, quotes: QuotedMessages) -> FeishuEventHandler:
        recalled, rules = RecalledMessages(self._services.recall), self._services.rules
        return FeishuEventHandler(inbox, self._me, self._names, quotes, self._guests, recalled, rules)

    def _presses(self, inbox: Inbox) -> CardActionHandler:
        outcome = self._services.outcome
        return CardActionHandler(inbox, self._names, self._guests, outcome, self._pressed)

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return a reply in the target's chat and topic; in groups it answers the message it is for."""
        reply = FeishuReply(self._shared, target, checkpoint)
        return reply if self._receipts is None else self._receipts.around(reply, target)

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        """Return what was said above a message, from its topic or its chat."""
        async with self._api.connected():
            # A turn may go on before listening has begun.
            self._me = self._me or (await self._api.bot()).open_id
            return await FeishuHistory(self._api, self._names, self._me, self._guests).read(request)

    async def _lacking(self) -> tuple[tuple[str, str], ...]:
        """Return the permissions that are missing for what is switched on, each with what needs it."""
        try:
            granted = await self._api.granted_scopes()
        except DeliveryRejected as error:
            log.info("feishu: what the app may do is not to be known (%s)", error)
            return ()
        return tuple(("app_id", text) for text in missing_scopes(self._needed(), granted))

    def _needed(self) -> tuple[NeededScope, ...]:
        config = self._config
        bots = config.bots or any(chat.bots for chat in config.chats.values())
        history, receipts = config.context_scopes, self._receipts is not None
        return (
            *ALWAYS,
            *(HISTORY if history else ()),
            *(BOTS if bots else ()),
            *(RECEIPTS if receipts else ()),
            *(WELCOME if config.welcome else ()),
        )

    @property
    def recognizes(self) -> bool:
        """Return whether Feishu is asked for the words of voice messages."""
        return self._services.decoder.wanted

    async def recognize(self, file: StoredFile) -> HeardSpeech:
        """Return what Feishu understands of a voice message."""
        async with self._api.connected():
            return await self._speech.recognize(file)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream a file of a message."""
        most = min(limit, self._max_file_in)
        if attachment.size > most:
            raise file_too_large(most)
        return await self._files.fetch(attachment.handle, into, most)
