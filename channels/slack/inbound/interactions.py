"""Presses of a question's buttons, and forms that were sent: from Slack's payloads to clicks."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass

from slack_bolt.async_app import AsyncAck, AsyncBoltContext

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.fields import MALFORMED, object_at
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.blocks import FEEDBACK_ACTION, OPTION_ACTION
from parley.channels.slack.fields import required_text_at, text_at
from parley.channels.slack.formatting import escape_mentions
from parley.channels.slack.inbound.context import REACHED, SlackInboundContext
from parley.channels.slack.inbound.event_parser import NAME, is_private, sender_of
from parley.channels.slack.modal import (
    EDIT_ACTION,
    ModalContext,
    ModalRequest,
    build_modal,
    build_words_modal,
    invalid_json_response,
    parse_edit_button,
    parse_submission,
)
from parley.core.hitl.policy import parse_arguments
from parley.core.model.address import Conversation
from parley.core.model.errors import ChannelError
from parley.core.model.feedback import FEEDBACK_QUESTION, FeedbackChoice
from parley.core.model.questions import EDIT, Click
from parley.core.model.types import Json, JsonObject
from parley.core.texts import Sentence, language_said, say

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BlockAction:
    """Who chose what, in which chat and thread ("" for none); `trigger` opens a form for a while."""

    id: str
    user: str
    chat: str
    thread: str
    question: str
    option: str
    text: str = ""
    trigger: str = ""


class InteractionHandler:
    """Bolt's listeners for buttons and forms.

    Slack sends a press once, and shows who pressed a warning when it is not acknowledged within three
    seconds. A press that waits for the store counts all the same, once the store is back.
    """

    def __init__(self, api: SlackApi, listener: SlackInboundContext, errands: BackgroundTasks) -> None:
        self._api = api
        self._listener = listener
        self._errands = errands

    async def on_action(self, body: dict[str, Json], ack: AsyncAck, context: AsyncBoltContext) -> None:
        """Take a press of a button."""
        context[REACHED] = True
        try:
            pressed = parse_block_action(body)
        except MALFORMED as error:
            _skip(error)
            pressed = None
        if isinstance(pressed, ModalRequest):
            self._errands.run(self._open(pressed))
        elif pressed is not None:
            await self._take(pressed)
        await ack()

    async def on_form(self, body: dict[str, Json], ack: AsyncAck, context: AsyncBoltContext) -> None:
        """Take a form. What is no JSON object is refused there and then."""
        context[REACHED] = True
        try:
            form, written = parse_submission(body)
            press = _sent_press(body, form, written)
        except MALFORMED as error:
            _skip(error)
            await ack()
            return
        if not press.text:
            await ack(response_action="errors", errors=invalid_json_response(form))
            return
        await self._take(press)
        await ack()

    async def _take(self, press: BlockAction) -> None:
        told = await self._listener.retry_until_stored(f"press {press.id}", lambda: self._decide(press))
        if (language := language_said(told, Sentence.FEEDBACK_NOTED)) and _is_bad(press):
            self._errands.run(self._ask_for_words(press, language))
        elif told and not language_said(told, Sentence.SUGGESTION_ASKED):  # the answer shows it
            self._errands.run(self._tell(press, told))

    async def _decide(self, press: BlockAction) -> str:
        """Return what to tell who pressed; "" for who is not heard."""
        listener = self._listener
        if not await listener.door.admits(press.user):
            return ""
        people = await listener.people.get_many((press.user,))
        click = Click(
            id=press.id,
            question=press.question,
            option=press.option,
            sender=sender_of(press.user, listener.me, people),
            conversation=Conversation(NAME, press.chat, press.thread or None),
            private=is_private(press.chat),
            text=press.text,
        )
        return await listener.inbox.decide(click)

    async def _tell(self, press: BlockAction, told: str) -> None:
        try:
            await self._api.post_ephemeral(
                SlackDestination(press.chat, press.thread or None, press.user), escape_mentions(told)
            )
        except ChannelError as error:
            log.info("slack: who pressed a button was not told what came of it (%s)", error)

    async def _ask_for_words(self, press: BlockAction, language: str) -> None:
        form = ModalContext(press.question, language, press.chat, press.thread)
        try:
            await self._api.open_view(press.trigger, build_words_modal(form))
        except ChannelError as error:
            log.info("slack: nobody was asked what was wrong with an answer (%s)", error)
            await self._tell(press, say(language, Sentence.FEEDBACK_NOTED_HOW))

    async def _open(self, opening: ModalRequest) -> None:
        try:
            await self._api.open_view(opening.trigger, build_modal(opening))
        except ChannelError as error:
            log.warning("slack: a form could not be opened (%s)", error)


def parse_block_action(body: JsonObject) -> BlockAction | ModalRequest | None:
    """Return what a press of a button says; None for a button that is not ours. Raises those of MALFORMED."""
    actions = body.get("actions")
    action = object_at({"action": actions[0]} if isinstance(actions, list) else {}, "action")
    kind = required_text_at(action, "action_id").partition(":")[0]
    if kind not in (OPTION_ACTION, EDIT_ACTION, FEEDBACK_ACTION):
        return None
    container = object_at(body, "container")
    chat = required_text_at(container, "channel_id")
    thread = text_at(container, "thread_ts") or _thread_of(body)
    if kind == EDIT_ACTION:
        return parse_edit_button(action, body, chat, thread)
    user = required_text_at(object_at(body, "user"), "id")
    press = (
        f"{chat}:{required_text_at(container, 'message_ts')}:{user}:{required_text_at(action, 'action_ts')}"
    )
    question, option = map(str, json.loads(required_text_at(action, "value")))
    if kind == FEEDBACK_ACTION:
        question = f"{FEEDBACK_QUESTION}{question}"
    return BlockAction(press, user, chat, thread, question, option, trigger=text_at(body, "trigger_id"))


def _thread_of(body: JsonObject) -> str:
    message = body.get("message")
    return text_at(message, "thread_ts") if isinstance(message, dict) else ""


def _sent_press(body: JsonObject, form: ModalContext, written: str) -> BlockAction:
    """Return the click of a form; without a text where nothing can be made of what was written."""
    rated = form.question.startswith(FEEDBACK_QUESTION)
    return BlockAction(
        id=f"form:{required_text_at(object_at(body, 'view'), 'id')}",
        user=required_text_at(object_at(body, "user"), "id"),
        chat=form.chat,
        thread=form.thread,
        question=form.question,
        option=FeedbackChoice.DOWN if rated else EDIT,
        text=written.strip() if rated else _arguments(written),
    )


def _is_bad(press: BlockAction) -> bool:
    """Tell whether somebody did not like an answer, and has not said why."""
    rated = press.question.startswith(FEEDBACK_QUESTION)
    return rated and press.option == FeedbackChoice.DOWN and not press.text


def _arguments(written: str) -> str:
    try:
        return parse_arguments(written)
    except RecursionError:
        return ""


def _skip(error: Exception) -> None:
    log.warning("slack: a press cannot be read and is skipped: %s: %s", type(error).__name__, error)
