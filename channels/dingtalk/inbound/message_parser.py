"""What DingTalk pushes as a message for the core, or nothing. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from parley.channels.dingtalk.inbound.message_content import DingTalkMessageContent, parse_content
from parley.channels.dingtalk.sdk import ChatbotMessage
from parley.channels.kit.text import wellformed
from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment
from parley.core.model.types import InboundMessage, Json, JsonObject

NAME = "dingtalk"
GROUP = "2"
MOST_ID = 256

_CALLED_COMMAND = re.compile(r"(?<!\S)@\S++\s++(?=/\w)")


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How messages are read: the robot's name where it stays in texts, whether each person in a group has
    a conversation of their own, and which people of other organisations are welcome."""

    bot_name: str = ""
    per_user: bool = False
    guests: frozenset[str] = frozenset()


def parse_message(data: JsonObject, manner: ParseOptions, now: float) -> InboundMessage | None:
    """Return what somebody said to us; nothing for what has no words and files, and for other organisations.

    Raises ValueError (and what the SDK may raise) for what is no message, has no id, no sender or no place.
    """
    message = ChatbotMessage.from_dict(dict(data))
    sender = _sender(message)
    if _foreign(message) and sender.id not in manner.guests:
        return None
    private = str(message.conversation_type) != GROUP
    said = parse_content(message)
    text = _without_us(wellformed(said.text), manner.bot_name)
    if not (text or said.files or said.quoted):
        return None
    return InboundMessage(
        id=_id(message.message_id, "msgId"),
        conversation=_conversation(message, sender, private, manner),
        sender=sender,
        text=text,
        addressed=private or message.is_in_at_list is not False,
        private=private,
        sent_at=_time(message.create_at, now),
        attachments=_fetchable(said.files, message.robot_code),
        quoted=wellformed(said.quoted).strip(),
    )


def parse_quote(data: JsonObject) -> DingTalkMessageContent:
    """Return what a message quotes, for quotes whose words DingTalk leaves out. Raises as parse_message."""
    return parse_content(ChatbotMessage.from_dict(dict(data)))


def is_unpublished(data: JsonObject) -> bool:
    """Tell whether DingTalk hides who of our organisation wrote, as it does until the app is published."""
    ours, theirs = data.get("chatbotCorpId"), data.get("senderCorpId")
    return not data.get("senderStaffId") and bool(ours) and ours == theirs


def _sender(message: ChatbotMessage) -> User:
    # People of other organisations have no staff id.
    who = message.sender_staff_id or message.sender_id
    nick = message.sender_nick if isinstance(message.sender_nick, str) else ""
    workspace = message.sender_corp_id if isinstance(message.sender_corp_id, str) else ""
    return User(NAME, _id(who, "sender"), wellformed(nick), wellformed(workspace))


def _foreign(message: ChatbotMessage) -> bool:
    """Tell whether somebody is not of our organisation; only its own people have a staff id."""
    ours, theirs = message.chatbot_corp_id, message.sender_corp_id
    return not message.sender_staff_id or (bool(ours) and bool(theirs) and ours != theirs)


def _conversation(message: ChatbotMessage, sender: User, private: bool, manner: ParseOptions) -> Conversation:
    if private:
        # Answers go to the person: the conversation id of a private chat takes none.
        return Conversation(NAME, sender.id)
    chat = _id(message.conversation_id, "conversationId")
    return Conversation(NAME, chat, sender.id if manner.per_user else None)


def _id(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_ID or "\0" in value:
        raise ValueError(f"no {name}")
    value.encode()
    return value


def _time(milliseconds: object, now: float) -> float:
    if isinstance(milliseconds, str) and milliseconds.isdecimal():
        milliseconds = int(milliseconds)
    if isinstance(milliseconds, int | float) and 0 < milliseconds < 10**14:
        return milliseconds / 1000
    return now


def _without_us(text: str, name: str) -> str:
    """Return the text without our name: DingTalk takes it out itself, but not from everything."""
    if name:
        text = re.sub(rf"@{re.escape(name)}(?!\w)[ \u2005]?", "", text)
    return _CALLED_COMMAND.sub("", text.strip(), count=1) if text.strip().startswith("@") else text.strip()


def _fetchable(files: tuple[Attachment, ...], robot: Json) -> tuple[Attachment, ...]:
    """Return the files with whose they are: only the robot that was written to may have them."""
    whose = robot if isinstance(robot, str) else ""
    return tuple(replace(file, handle=wellformed(f"{whose}:{file.handle}")) for file in files)
