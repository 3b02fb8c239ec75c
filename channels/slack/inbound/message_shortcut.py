"""The shortcut "Ask about this" of a message: its question is asked in a form, and answered in its thread."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass

from slack_bolt.async_app import AsyncAck, AsyncBoltContext

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.fields import MALFORMED, object_at, text_or_empty
from parley.channels.slack.agent_api import SlackAgentApi
from parley.channels.slack.api import SlackApi
from parley.channels.slack.blocks import text_forms
from parley.channels.slack.fields import required_text_at, text_at
from parley.channels.slack.formatting import escape_mentions, readable_text
from parley.channels.slack.inbound.context import REACHED, SlackInboundContext
from parley.channels.slack.inbound.event_parser import NAME, is_private, message_link, sender_of
from parley.channels.slack.inbound.message_words import app_words, forwarded_words
from parley.core.model.address import Conversation, User
from parley.core.model.errors import ChannelError, DeliveryRejected
from parley.core.model.types import InboundMessage, Json, JsonObject
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

ASK_FORM = "parley_ask_form"
"""The form's callback id."""
QUESTION = "question"
"""The block that holds its one field."""
MOST_QUOTED = 1_200
"""Characters of a message that its form carries; Slack takes 3,000 with what JSON adds."""
MOST_NAMED = 100
"""Characters of its author's name."""
_MOST_METADATA = 2_900


@dataclass(frozen=True, slots=True)
class AskedMessage:
    """The message that is asked about: its chat, its thread or itself, who wrote it, and what it says."""

    chat: str
    thread: str
    author: str
    words: str

    def dump(self) -> str:
        """Return it as a short text, for `private_metadata`."""
        author, words = self.author[:MOST_NAMED], self.words
        while len(noted := json.dumps([self.chat, self.thread, author, words])) > _MOST_METADATA and words:
            words = words[: len(words) // 2]
        return noted

    @classmethod
    def load(cls, noted: str) -> AskedMessage:
        """Return the inverse. Raises ValueError, TypeError."""
        chat, thread, author, words = map(str, json.loads(noted))
        return cls(chat, thread, author, words)


class MessageShortcut:
    """Bolt's listeners for the shortcut and its form."""

    def __init__(self, api: SlackApi, listener: SlackInboundContext, errands: BackgroundTasks) -> None:
        self._api = api
        self._agent = SlackAgentApi(api)
        self._listener = listener
        self._errands = errands

    async def on_shortcut(self, body: dict[str, Json], ack: AsyncAck, context: AsyncBoltContext) -> None:
        """Open the form, while the trigger is good."""
        context[REACHED] = True
        try:
            trigger, user = required_text_at(body, "trigger_id"), _user_of(body)
            required_text_at(object_at(body, "message"), "ts")
            self._errands.run(self._open(trigger, user, body))
        except MALFORMED as error:
            log.warning("slack: a shortcut cannot be read and is skipped: %s", error)
        await ack()

    async def on_form(self, body: dict[str, Json], ack: AsyncAck, context: AsyncBoltContext) -> None:
        """Take the question."""
        context[REACHED] = True
        try:
            user, asked, question = _user_of(body), *parse_question(body)
        except MALFORMED as error:
            log.warning("slack: a form cannot be read and is skipped: %s", error)
            await ack()
            return
        listener = self._listener
        if not question or not await listener.door.admits(user):
            await ack()
            return
        sender = sender_of(user, listener.me, await listener.people.get_many((user,)))
        try:
            message = await self._post(asked, sender, question)
        except ChannelError as error:
            log.info("slack: a question about a message could not be shown (%s)", error)
            words = say(language_of(sender.language), Sentence.ASK_FAILED)
            await ack(response_action="errors", errors={QUESTION: words})
            return
        await listener.retry_until_stored(f"question {message.id}", lambda: listener.inbox.accept(message))
        await ack()

    async def _open(self, trigger: str, user: str, body: JsonObject) -> None:
        people = await self._listener.people.get_many((user, text_at(object_at(body, "message"), "user")))
        names = {each: person.name for each, person in people.items()}
        asked = asked_message(body, self._listener.me.user, names)
        language = language_of(people[user].language if user in people else "")
        try:
            await self._api.open_view(trigger, ask_form(asked, language))
        except ChannelError as error:
            log.warning("slack: a form could not be opened (%s)", error)

    async def _post(self, asked: AskedMessage, sender: User, question: str) -> InboundMessage:
        """Show the question where it is answered: in the message's thread, or, where the app is not in that
        chat, in the DM with who asks. Raises ChannelError."""
        language, quoted = language_of(sender.language), _quote(question)
        shown = say(language, Sentence.ASK_SHOWN, name=sender.name or sender.id)
        thread = asked.thread
        try:
            chat, ts = await self._show(asked.chat, thread, f"{shown}\n\n{quoted}")
        except DeliveryRejected as error:
            log.info("slack: a question goes to a DM, not to %s (%s)", asked.chat, error)
            shown = say(language, Sentence.ASK_SHOWN_PRIVATELY, name=asked.author)
            words = f"{shown}\n\n{_quote(asked.words)}\n\n{escape_mentions(question)}"
            chat, ts = await self._show(sender.id, "", words)
            thread = ts
        me = self._listener.me
        return InboundMessage(
            id=f"{chat}:{ts}",
            conversation=Conversation(NAME, chat, thread),
            sender=sender,
            text=question,
            addressed=True,
            private=is_private(chat),
            sent_at=float(ts),
            quoted=f"{asked.author}: {asked.words}" if asked.author else asked.words,
            chat_kind="" if is_private(chat) else "channel",
            link=message_link(me, chat, ts, thread),
        )

    async def _show(self, chat: str, thread: str, markdown: str) -> tuple[str, str]:
        best, *_ = text_forms(markdown)
        return await self._agent.post_words(chat, thread, best)


def asked_message(body: JsonObject, me: str, names: dict[str, str]) -> AskedMessage:
    """Return the message that a shortcut was used on. Raises those of MALFORMED."""
    message = object_at(body, "message")
    raw = app_words(message) if message.get("bot_id") else text_at(message, "text")
    words = readable_text(raw or forwarded_words(message), me, names)
    user = text_at(message, "user")
    author = names.get(user) or text_or_empty(message, "username") or user
    ts = required_text_at(message, "ts")
    chat = required_text_at(object_at(body, "channel"), "id")
    return AskedMessage(chat, text_at(message, "thread_ts") or ts, author, words[:MOST_QUOTED])


def ask_form(asked: AskedMessage, language: str) -> dict[str, Json]:
    """Return the form as a view."""
    field: dict[str, Json] = {"type": "plain_text_input", "action_id": QUESTION, "multiline": True}
    label = _plain(say(language, Sentence.ASK_FIELD))
    return {
        "type": "modal",
        "callback_id": ASK_FORM,
        "private_metadata": asked.dump(),
        "title": _plain(say(language, Sentence.ASK_TITLE)),
        "submit": _plain(say(language, Sentence.ASK_SEND)),
        "close": _plain(say(language, Sentence.FORM_CANCEL)),
        "blocks": [{"type": "input", "block_id": QUESTION, "label": label, "element": field}],
    }


def parse_question(body: JsonObject) -> tuple[AskedMessage, str]:
    """Return what was asked about which message. Raises those of MALFORMED."""
    view = object_at(body, "view")
    values = object_at(object_at(view, "state"), "values")
    field = object_at(object_at(values, QUESTION), QUESTION)
    return AskedMessage.load(required_text_at(view, "private_metadata")), text_at(field, "value").strip()


def _user_of(body: JsonObject) -> str:
    return required_text_at(object_at(body, "user"), "id")


def _quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in escape_mentions(text).splitlines())


def _plain(words: str) -> dict[str, Json]:
    return {"type": "plain_text", "text": words}
