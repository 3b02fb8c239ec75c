"""Messages that stand above the one that asks us, as values: what is asked for, and what comes."""

from __future__ import annotations

from dataclasses import dataclass

from parley.core.model.address import Conversation, User


@dataclass(frozen=True, slots=True)
class EarlierMessage:
    """A message that somebody wrote before, as its platform tells it or as we heard it.

    `text` has the platform's markup resolved as that of an inbound message has: names instead of ids, and
    attachments of bots flattened to words. `bot` says that a bot or an app wrote it, `ours` that we did.
    `outsider` says that the channel itself keeps its writer out: a guest, or somebody of another workspace.
    `files` are names. `sent_at` is in Unix seconds. `opening` says that its topic began with it.
    """

    id: str
    sender: User
    text: str
    sent_at: float
    bot: bool = False
    ours: bool = False
    outsider: bool = False
    files: tuple[str, ...] = ()
    quoted: str = ""
    opening: bool = False


@dataclass(frozen=True, slots=True)
class MessagePosition:
    """A message by its id, as `InboundMessage.id` has it, and when it was sent; empty and 0 for none."""

    id: str = ""
    at: float = 0.0


NO_MESSAGE = MessagePosition()

_MOST_DIGITS = 20


def compare_positions(one: MessagePosition, other: MessagePosition) -> float:
    """Return whether a message came after another (above 0) or before it; 0 where nothing tells.

    Some platforms tell whole seconds only: of the same one the number counts that an id ends with.
    """
    if one.at != other.at:
        return one.at - other.at
    numbers = [each.id.rpartition(":")[2] for each in (one, other)]
    if not all(number.isdecimal() and len(number) < _MOST_DIGITS for number in numbers):
        return 0
    return int(numbers[0]) - int(numbers[1])


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """What to read above a message.

    Wanted are the newest `most` messages of the conversation before `before`, but none up to `after` (the
    last message that its agent was asked; itself not included), and none sent before `oldest` (Unix seconds)
    but the one that its topic began with: that is what the topic is about.
    With `whole_chat` a message that begins a topic, and so has nothing above it there, brings what was said
    in the chat before it. Two requests to the platform are the most that this may cost.
    """

    conversation: Conversation
    before: MessagePosition
    after: MessagePosition = NO_MESSAGE
    oldest: float = 0.0
    most: int = 100
    whole_chat: bool = False
