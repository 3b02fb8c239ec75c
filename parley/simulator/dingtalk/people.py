"""The person's side: what people write, press and see. Every method may be called from any thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from parley.simulator.dingtalk.api import card_buttons
from parley.simulator.dingtalk.events.payloads import (
    BOT_TOPIC,
    CARD_TOPIC,
    bot_message,
    card_callback,
    frame,
    quote_message,
)
from parley.simulator.dingtalk.model import (
    DingTalkAccount,
    DingTalkCardPress,
    DingTalkMessage,
    DingTalkPush,
    DingTalkUpload,
    FileKind,
    SeenDingTalkMessage,
)
from parley.simulator.dingtalk.rendering import render
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.people import SimulatedPeople


@dataclass(frozen=True)
class SimulatedDingTalkPerson:
    """Somebody with an account. `id` (the staff id) is also that of their private chat with the robot."""

    id: str
    name: str


class SimulatedDingTalkPeople(SimulatedPeople[DingTalkWorld]):
    """What everybody but the robot does. Places are staff ids and conversation ids of groups."""

    platform = "DingTalk"

    def __init__(self, world: DingTalkWorld, robot_name: str, push: Callable[[DingTalkPush], None]) -> None:
        super().__init__(world)
        self._mention = f"@{robot_name}"
        self._push = push
        self.url = ""

    def add_person(self, name: str, external: bool = False) -> SimulatedDingTalkPerson:
        """Add a new account; an `external` one belongs to another organisation and has no staff id."""
        account = self._world.add_account(name, external)
        return SimulatedDingTalkPerson(account.id, account.name)

    def add_group(self, title: str, members: Sequence[str], overheard: bool = False) -> str:
        """Add a new group with the robot in it; returns its conversation id."""
        return self._world.add_group(title, set(members), overheard).id

    def say(self, place: str, by: str, text: str, reply_to: str = "") -> str:
        """Write a text, perhaps quoting a message; returns the message's id."""
        with self._world.changed:
            message = self._world.post(place, by, "text")
            message.text = text
            body: JsonObject = {"content": self._without_mention(text)}
            if reply_to:
                answered = self._message(place, reply_to)
                message.quotes = answered.id
                body |= {"isReplyMsg": True, "repliedMsg": quote_message(self._world, answered)}
            self._tell(message, "text", body, self._mention in text)
            return message.id

    def say_rich(self, place: str, by: str, parts: Sequence[str | DingTalkUpload]) -> str:
        """Write words and pictures in one message; returns its id."""
        with self._world.changed:
            message = self._world.post(place, by, "richText")
            message.text = "".join(part for part in parts if isinstance(part, str))
            called = self._mention in message.text
            entries: list[Json] = [
                {"text": self._without_mention(part)}
                if isinstance(part, str)
                else {"type": "picture", "downloadCode": self._world.keep(part)}
                for part in parts
            ]
            self._tell(message, "richText", {"richText": entries}, called)
            return message.id

    def send_file(
        self, place: str, by: str, file: DingTalkUpload, kind: FileKind = "file", *, unheard: bool = False
    ) -> str:
        """Send a picture, video, voice or other file, alone as on the platform; returns the message's id.

        An `unheard` one stood in the chat before the robot came: it can only be quoted.
        """
        with self._world.changed:
            message = self._world.post(place, by, kind)
            message.file = file
            body: JsonObject = {"downloadCode": self._world.keep(file)}
            if kind == "file":
                body |= {"fileName": file.name, "spaceId": "1", "fileId": "1"}
            if kind == "video":
                body |= {"duration": 3, "videoType": PurePosixPath(file.name).suffix[1:]}
            # Nobody can mention a robot in these: groups do not push them.
            if not unheard:
                self._tell(message, kind, body, False)
            return message.id

    def speak(self, place: str, by: str, words: str = "", sound: bytes = b"#!AMR\n") -> str:
        """Send a voice message, of which the platform has understood these words; returns its id."""
        with self._world.changed:
            message = self._world.post(place, by, "audio")
            message.text = words
            body: JsonObject = {"downloadCode": self._world.keep(DingTalkUpload("voice.amr", sound))}
            body |= {"duration": 2000} | ({"recognition": words} if words else {})
            self._tell(message, "audio", body, False)
            return message.id

    def pass_on(self, place: str, by: str, kind: str, body: JsonObject) -> str:
        """Send a message of another kind, such as a forwarded chat (`chatRecord`); returns its id."""
        with self._world.changed:
            message = self._world.post(place, by, kind)
            self._tell(message, kind, body, place in self._world.groups)
            return message.id

    def publish(self, published: bool) -> None:
        """Publish a version of the app, or take the last one back: then nobody's staff id is told."""
        with self._world.changed:
            self._world.published = published

    def press(self, place: str, by: str, message: str, label: str) -> str:
        """Press the button of a card that has this label; returns what `answer_to` takes.

        Raises LookupError where there is none.
        """
        with self._world.changed:
            card = self._message(place, message).card
            if card is None:
                raise LookupError(f"message {message} is no card")
            button = card_buttons.find_button(card, label)
            return self._act(place, by, message, button.action, button.params)

    def act(self, place: str, by: str, message: str, action: str, params: JsonObject | None = None) -> str:
        """Do something to a card that a template allows for, whatever it looks like; otherwise as `press`."""
        with self._world.changed:
            return self._act(place, by, message, action, params or {})

    def told(self, place: str, by: str) -> tuple[str, ...]:
        """Return what somebody alone came to read on cards that they pressed in a chat, oldest first."""
        with self._world.changed:
            return tuple(text for where, who, text in self._world.told if (where, who) == (place, by))

    def failures(self, place: str, by: str) -> int:
        """Return how often somebody's client said that a press did not work."""
        with self._world.changed:
            presses = [push.press for push in self._world.pushes if push.failed]
            return sum(press is not None and (press.place, press.by) == (place, by) for press in presses)

    def answer_to(self, message: str) -> str:
        """Return the data of the robot's acknowledgement; empty so far."""
        with self._world.changed:
            return next((push.answer for push in self._world.pushes if push.message == message), "")

    def heard(self, message: str) -> bool:
        """Return whether the robot has acknowledged a message."""
        with self._world.changed:
            return any(push.code == 200 for push in self._world.pushes if push.message == message)

    def lost(self) -> tuple[str, ...]:
        """Return the ids of messages that were pushed while nobody was connected."""
        with self._world.changed:
            return tuple(push.message for push in self._world.pushes if push.lost)

    def inject(self, data: Json = None, raw: str = "") -> None:
        """Push any message body at all, however strange; or any text in place of a frame."""
        with self._world.changed:
            body: JsonObject = {"raw": raw} if raw else frame(BOT_TOPIC, data, self._world.number())
            self._hand_over(body, "")

    def redeliver(self, count: int = 1) -> None:
        """Push the last messages once more, which DingTalk does only by mistake."""
        with self._world.changed:
            for push in [push for push in self._world.pushes if push.message][-count:]:
                self._push(DingTalkPush(push.frame, push.message, push.press))

    def remove_robot(self, place: str) -> None:
        """Throw the robot out of a group, or take it from a person."""
        with self._world.changed:
            if place in self._world.groups:
                self._world.groups[place].robot_is_gone = True
            else:
                self._world.accounts[place].reachable = False

    def messages(self, place: str) -> tuple[SeenDingTalkMessage, ...]:
        """Return what stands in a chat now, oldest first."""
        with self._world.changed:
            return tuple(self._seen(message) for message in self._world.messages[place])

    def answers(self, place: str) -> tuple[str, ...]:
        """Return the texts of the robot's messages in a chat, oldest first."""
        return tuple(message.text for message in self.messages(place) if message.from_robot)

    def growth(self, place: str) -> tuple[str, ...]:
        """Return every text that the robot showed in a chat, in order of time."""
        with self._world.changed:
            return tuple(text for where, text in self._world.growth if where == place)

    def file(self, place: str, message: str) -> bytes:
        """Return the content of a message's file."""
        with self._world.changed:
            upload = self._message(place, message).file
            return b"" if upload is None else upload.content

    def _tell(self, message: DingTalkMessage, kind: str, body: JsonObject, called: bool) -> None:
        """Push a message to the robot, where the platform does that."""
        group = self._world.groups.get(message.place)
        if group is not None and (group.robot_is_gone or not (called or group.overheard)):
            return
        account = self._world.accounts[message.sender]
        data = bot_message(self._world, self.url, message, account, kind, body, called or group is None)
        self._hand_over(frame(BOT_TOPIC, data, self._world.number()), message.id)

    def _act(self, place: str, by: str, message: str, action: str, params: JsonObject) -> str:
        shown, number = self._message(place, message), self._world.number()
        body = card_callback(self._world, self._world.accounts[by], shown, action, params)
        press = None if shown.card is None else card_buttons.make_press(shown.card, by)
        self._hand_over(frame(CARD_TOPIC, body, number), f"press{number}", press)
        return f"press{number}"

    def _hand_over(self, body: JsonObject, message: str, press: DingTalkCardPress | None = None) -> None:
        push = DingTalkPush(body, message, press)
        self._world.pushes.append(push)
        self._push(push)

    def _without_mention(self, text: str) -> str:
        if not self._world.strips_mention:
            return text
        return text.replace(f"{self._mention} ", "").replace(self._mention, "")

    def _message(self, place: str, number: str) -> DingTalkMessage:
        for message in self._world.messages[place]:
            if message.id == number:
                return message
        raise LookupError(f"there is no message {number} in {place}")

    def _seen(self, message: DingTalkMessage) -> SeenDingTalkMessage:
        account: DingTalkAccount | None = self._world.accounts.get(message.sender)
        text = message.text if message.card is None else message.card.text
        shown, code = render(text)
        return SeenDingTalkMessage(
            id=message.id,
            sender="robot" if account is None else account.name,
            from_robot=message.from_robot,
            kind=message.kind,
            text=text,
            shown=shown,
            code=code,
            title=message.title,
            file="" if message.file is None else message.file.name,
            file_size=0 if message.file is None else len(message.file.content),
            growing=message.card is not None and not message.card.finished,
            quotes=message.quotes,
            at=message.at,
            buttons=()
            if message.card is None
            else tuple(button.label for button in card_buttons.buttons(message.card)),
            reactions=tuple(sorted(message.reactions)),
            mentions=message.mentions,
            preview=message.preview,
        )
