"""Faults that lie in how the Slack channel itself is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from slack_sdk.web.async_slack_response import AsyncSlackResponse

from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.channel import SlackChannel, create
from parley.channels.slack.formatting import MAX_MESSAGE_CHARS, escape_mentions, split_messages
from parley.channels.slack.inbound.direct_messages import DirectMessages
from parley.channels.slack.inbound.event_parser import STOP
from parley.channels.slack.inbound.slash_commands import COMMAND_ID
from parley.channels.slack.outbound.agent_session import SlackAgentSession
from parley.channels.slack.outbound.message_draft import MessageDraft
from parley.channels.slack.outbound.reply import SlackReply
from parley.channels.slack.outbound.reply_messages import ReplyMessages
from parley.channels.slack.users import SlackUser, SlackUserCache
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, Json, JsonObject, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices, Checkpoint, Inbox, Reply
from tests.contract.drivers.pace import eager
from tests.contract.drivers.slack import SlackDriver
from tests.contract.faults.fault import Around, Fault, answering_bots, without_receipt
from tests.contract.harness.parley_process import Seed


def _made_as(kind: type[SlackChannel]) -> type[SlackDriver]:
    """A driver whose channel is of this kind."""

    class Driver(SlackDriver):
        def make_channel(self, services: ChannelServices) -> Channel:
            made = create(self.config(), services)
            made.__class__ = kind
            return eager(made)

    return Driver


def _replying(change: Callable[[SlackReply], object]) -> type[SlackDriver]:
    """A driver whose channel's replies are changed before they begin."""

    class Replies(SlackChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            made = super().open_reply(target, checkpoint)
            inner = without_receipt(made)
            assert isinstance(inner, SlackReply)
            change(inner)
            return made

    return _made_as(Replies)


def _with_pages(kind: type[ReplyMessages]) -> type[SlackDriver]:
    """A driver whose channel's messages are of this kind."""
    return _replying(lambda reply: setattr(reply._pages, "__class__", kind))


def _laying_out(change: Callable[[tuple[str, ...]], Iterable[str]]) -> type[SlackDriver]:
    """A driver whose channel lays texts out otherwise."""

    class LaysOut(SlackReply):
        async def _write(self, text: str, snapshot: OutboundMessage, *, final: bool) -> int:
            texts = list(change(split_messages(text)))
            for number, each in enumerate(texts):
                await self._pages.write(number, MessageDraft(each, closed=final))
            return len(texts)

    return _replying(lambda reply: setattr(reply, "__class__", LaysOut))


class Stubborn(SlackApi):
    """Has no other way when the form of a text is refused."""

    async def _shown(
        self, method: str, content: Sequence[JsonObject], fixed: dict[str, Json]
    ) -> AsyncSlackResponse:
        return await super()._shown(method, content[:1], fixed)


class InsistsOnMarkdown(SlackChannel):
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        self._api.__class__ = Stubborn
        return super().open_reply(target, checkpoint)


class LeavesOpen(ReplyMessages):
    """Never says that a growing message is whole."""

    async def write(self, index: int, page: MessageDraft) -> None:
        await super().write(index, replace(page, closed=False))


class GoesOnBlindly(ReplyMessages):
    """After a crash appends to a growing message as if nothing were in it yet."""

    async def _grow(self, index: int, page: MessageDraft) -> None:
        self._shown.setdefault(index, "")
        await super()._grow(index, page)


class Strangers(SlackUserCache):
    """Does not ask for names."""

    async def get_many(self, ids: Iterable[str]) -> dict[str, SlackUser]:
        return {}


class Anonymous(SlackDriver):
    """Its channel does not ask for names."""

    def make_channel(self, services: ChannelServices) -> Channel:
        made = create(self.config(), services)
        made._people.__class__ = Strangers
        return eager(made)


class IgnoresTheButton(Around):
    """Takes a press of the stop button for nothing."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        if not message.id.startswith(f"{STOP}:"):
            await inbox.accept(message)


class ShowsNoButton(SlackAgentSession):
    """Does not tell Slack that it is at work."""

    async def show_stop_button(self) -> None:
        return None


class IgnoresCommands(Around):
    """Takes a slash command for nothing."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        if not message.id.startswith(f"{COMMAND_ID}:"):
            await inbox.accept(message)


class LeavesTheLine(SlackAgentSession):
    """Leaves it to Slack to take the status line away."""

    async def hide_thinking_status(self) -> None:
        return None


class OneLongTalk(DirectMessages):
    """Takes everything in a DM for one conversation."""

    async def has_threads(self) -> bool:
        return False


class TalksOn(SlackChannel):
    def _direct(self) -> DirectMessages:
        made = super()._direct()
        made.__class__ = OneLongTalk
        return made


class AsksInWords(SlackReply):
    """Shows a question like any other answer."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await super().finish(replace(snapshot, question=None))


class KeepsTheButtons(ReplyMessages):
    """Changes a settled question by its text alone, which leaves it its buttons."""

    async def settle(self, text: str) -> None:
        for index, ts in enumerate(self.handle.parts):
            await self._api.update(self._place, ts, ({"text": text},), self._turn, index)


class OncePerPerson(Around):
    """Knows presses by who made them only."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        return await inbox.decide(replace(click, id=click.sender.id))


class TellsNobody(SlackApi):
    """Keeps to itself what came of a press."""

    async def post_ephemeral(self, place: SlackDestination, markdown: str) -> None:
        return None


class KeepsItself(SlackChannel):
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        self._api.__class__ = TellsNobody
        return super().open_reply(target, checkpoint)


def _torn(texts: tuple[str, ...]) -> list[str]:
    whole = "\n\n".join(texts)
    return [whole[cut : cut + MAX_MESSAGE_CHARS // 2] for cut in range(0, len(whole), MAX_MESSAGE_CHARS // 2)]


def _mark_off(texts: tuple[str, ...]) -> list[str]:
    return [
        *texts[:1],
        *(escape_mentions(text.replace("```python", "").replace("```", "")) for text in texts[1:]),
    ]


FAULTS = (
    Fault("insist on refused markdown", "refused_marks_leave_the_words", driver=_made_as(InsistsOnMarkdown)),
    Fault("leave a growing message open", "grows_and_is_whole", driver=_with_pages(LeavesOpen)),
    Fault("append blindly", "crash_while_growing_among_others", driver=_with_pages(GoesOnBlindly)),
    Fault("send parts backwards", "a_huge_answer_arrives_whole", driver=_laying_out(lambda t: t[::-1])),
    Fault("tear words", "parts_are_within_the_limit", driver=_laying_out(_torn)),
    Fault("forget code in later parts", "code_stays_code_in_every_part", driver=_laying_out(_mark_off)),
    Fault("ignore the stop button", "the_stop_button_keeps_what_was_said", Seed(IgnoresTheButton)),
    Fault(
        "show no stop button",
        "the_stop_button_keeps_what_was_said",
        driver=_replying(lambda reply: setattr(reply._session, "__class__", ShowsNoButton)),
    ),
    Fault(
        "leave the status line to Slack",
        "that_it_thinks_is_shown_until_it_answers",
        driver=_replying(lambda reply: setattr(reply._session, "__class__", LeavesTheLine)),
    ),
    Fault(
        "ignore slash commands",
        "a_platforms_own_command_is_answered_to_its_writer",
        Seed(IgnoresCommands),
        only="slack",
    ),
    Fault("take a DM for one talk", "each_beginning_is_a_conversation", driver=_made_as(TalksOn)),
    Fault(
        "ask in words only",
        "options_are_buttons",
        driver=_replying(lambda reply: setattr(reply, "__class__", AsksInWords)),
    ),
    Fault("leave a settled question its buttons", "a_decision_is_seen", driver=_with_pages(KeepsTheButtons)),
    Fault("know presses by people only", "a_press_delivered_twice_decides_once", Seed(OncePerPerson)),
    Fault("not tell who pressed", "who_presses_is_told", driver=_made_as(KeepsItself)),
    Fault("know nobody", "heard_as_said", driver=Anonymous),
    answering_bots(SlackDriver),
)
