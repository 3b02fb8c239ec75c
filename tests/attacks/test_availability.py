"""Somebody who may talk tries to stop a running Parley for a colleague, who is answered all the same."""

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import httpx
import pytest

from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from tests.attacks.pathological_texts import hostile_texts
from tests.attacks.reachable_patterns import names, of_module
from tests.kit.machine import patience
from tests.kit.product.process import Process, way_in
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config

pytestmark = [pytest.mark.attacks, pytest.mark.timeout(240)]

_MOST_TEXT = 4096  # what Telegram takes
_HIDDEN = "\u202e\u2066\u200b\u0000\u0007\x1b[2J\ud800\udfff\ufffe\U000e0041"
_LOG_MAY_NOT_SAY = ("Traceback", "never retrieved", "was never awaited")


@dataclass(frozen=True)
class Scene:
    """Ann works; Eve attacks, on Telegram and, with the page's token, over HTTP."""

    parley: Process
    telegram: TelegramSimulator
    ann: Chat
    eve: Chat

    def places(self, count: int) -> list[Chat]:
        """Groups of Eve's with the bot, which answers to everything there."""
        people = self.telegram.people
        groups = [people.add_group(f"Group {number}", [self.eve.person]) for number in range(count)]
        for group in groups:
            people.make_bot_admin(group)
        return [Chat(self.telegram, group, self.eve.person) for group in groups]

    def http(self) -> httpx.Client:
        """A client that is let in."""
        return httpx.Client(**way_in(self.parley.url), timeout=patience(30))

    def push(self, kind: str, **fields: object) -> None:
        """Hand over an update as no app of Telegram's would make it, in Eve's name."""
        account = {"id": self.eve.person, "is_bot": False, "first_name": "Eve", "language_code": "en"}
        chat = {"id": self.eve.chat, "type": "private", "first_name": "Eve"}
        usual = {"message_id": 900_000, "date": int(time.time()), "chat": chat, "from": account}
        self.telegram.people.inject({kind: {**usual, **fields}})  # type: ignore[dict-item]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with ExitStack() as stack:
        telegram = stack.enter_context(TelegramSimulator())
        config = {
            "channels": {"telegram": telegram_config(telegram, mention="never")},
            "manager": {"max_turns": 8},
        }
        process = begin(tmp_path_factory.mktemp("colleague"), config)
        stack.callback(end, process)
        process.wait_until_ready()
        ann, eve = (telegram.people.add_person(name).id for name in ("Ann", "Eve"))
        yield Scene(process, telegram, Chat(telegram, ann, ann), Chat(telegram, eve, eve))


def flood(scene: Scene) -> None:
    """Hundreds of messages, with edits of what was said before."""
    for number in range(300):
        message = scene.eve.say(f"number {number}")
        if number % 3 == 0:
            scene.telegram.people.edit(scene.eve.chat, message, f"rather {number}")


def slow_answers_everywhere(scene: Scene) -> None:
    """More turns that take a minute than there are places for turns."""
    for place in scene.places(40):
        place.say("count to 500 slowly")


def stops_and_starts(scene: Scene) -> None:
    """Long answers that are stopped and asked for again at once."""
    for place in scene.places(5):
        for _ in range(20):
            place.say("count to 500 slowly")
            place.say("/stop")


def commands(scene: Scene) -> None:
    """Every command with nonsense, a long argument and wrong codes."""
    for command in (
        "memory",
        "memory forget",
        "memory undo",
        "link",
        "unlink",
        "pair",
        "retry",
        "new",
        "limits",
    ):
        for argument in ("", "x" * 4000, "0", "-1", "9" * 400, "'; DROP TABLE lanes; --", _HIDDEN[:4], "*"):
            scene.eve.say(f"/{command} {argument}"[:_MOST_TEXT])


def decisions_that_nobody_takes(scene: Scene) -> None:
    """Approvals left open, with presses of buttons that never were."""
    for place in scene.places(30):
        place.say("Send an e-mail to ann@example.org")
    for number in range(50):
        account = {"id": scene.eve.person, "is_bot": False, "first_name": "Eve"}
        press = {"id": str(number), "from": account, "chat_instance": "1", "data": f"{number}:" + "a" * 60}
        scene.telegram.people.inject({"callback_query": press})  # type: ignore[dict-item]


def texts_that_patterns_hate(scene: Scene) -> None:
    """What is the worst for each pattern that meets text, as a message."""
    worst = {text for module in names() for text in _worst(module)}
    for number, text in enumerate(sorted(worst, key=lambda text: (len(text), text))[-300:]):
        scene.push("message", message_id=910_000 + number, text=text[:_MOST_TEXT])


def _worst(module: str) -> Iterator[str]:
    for each in of_module(module):
        if isinstance(each.pattern, str):
            yield from (hostile.text(3_000) for hostile in hostile_texts(each.pattern, each.flags))


def signs_that_no_text_has(scene: Scene) -> None:
    """Halves of characters, controls and marks of direction: in texts, names, titles and files' names."""
    scene.push("message", text=_HIDDEN, message_id=900_001)
    account = {"id": scene.eve.person, "is_bot": False, "first_name": _HIDDEN * 20, "username": _HIDDEN}
    scene.push("message", **{"from": account}, text=f"who {_HIDDEN}", message_id=900_002)
    chat = {"id": -1001, "type": "supergroup", "title": _HIDDEN * 30}
    scene.push("message", chat=chat, text="hello", message_id=900_003)
    scene.push("edited_message", text=_HIDDEN, message_id=900_001, edit_date=int(time.time()))
    document = {"file_id": "none", "file_unique_id": "n", "file_name": f"../../{_HIDDEN}", "file_size": 5}
    scene.push("message", document=document, caption=_HIDDEN, message_id=900_004)


def updates_of_a_wrong_shape(scene: Scene) -> None:
    """Values where others belong, and numbers that no account has."""
    fields = ("text", "chat", "from", "date", "entities", "document", "reply_to_message", "message_id")
    wrong: list[object] = [None, [], {}, -1, 1e308, 2**70, "", True, [[[]]], {"id": None}]
    for number, value in enumerate(wrong):
        for field in fields:
            scene.push("message", **{"message_id": 920_000 + number, "text": "x", field: value})
        scene.telegram.people.inject({"message": value, "callback_query": value})  # type: ignore[dict-item]


def files_that_unpack_without_end(scene: Scene) -> None:
    """A workbook of zeros, a zip that says it is one, a picture of a billion dots, a page of open tags."""
    wide = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x02\0\0\0"
    files = (
        TelegramUpload("book.xlsx", _packed("xl/worksheets/sheet1.xml", b"0" * 60_000_000), ""),
        TelegramUpload("lost.docx", b"PK\x03\x04" + b"\0" * 5_000, ""),
        TelegramUpload("wide.png", wide, "image/png"),
        TelegramUpload("open.html", b"<div>" * 200_000, "text/html"),
        TelegramUpload("comments.html", b"<!-- -->\n" * 40, "text/html"),
        TelegramUpload("deep.json", b"[" * 500_000, "application/json"),
    )
    for _ in range(3):
        scene.eve.send(*files, caption="read these")


def _packed(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", "<Types/>")
        made.writestr("xl/workbook.xml", "<workbook/>")
        made.writestr(name, content)
    return file.getvalue()


def conversations_without_number(scene: Scene) -> None:
    """With the page's token: hundreds of conversations, topics and uploads that nobody uses."""
    with scene.http() as http:
        for number in range(200):
            body = {"id": f"m{number}", "text": "hello", "topic": f"t{number % 7}", "language": "en"}
            http.post(f"/api/chat/conversations/eve-{number:04}/messages", json=body)
            http.post(f"/api/chat/uploads/u{number}", files={"file": ("a.txt", b"x" * 1_000, "text/plain")})


def listeners_without_number(scene: Scene) -> None:
    """Streams of events that are opened and never read."""
    with ExitStack() as stack:
        http = stack.enter_context(scene.http())
        for _ in range(90):
            stack.enter_context(http.stream("GET", "/api/chat/events"))
        scene.ann.ask("beside all these", "beside all these")


def bodies_of_a_wrong_shape(scene: Scene) -> None:
    """JSON that is nested, long or half; ids that are paths; numbers that are words."""
    path = "/api/chat/conversations/{}/messages"
    bodies = [
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"id":"\\ud800","text":"\\ud800 half","language":"en"}',
        b'{"id":"a","text":' + b"9" * 10_000 + b"}",
        json.dumps({"id": "x" * 10_000, "text": "y", "language": "en"}).encode(),
        json.dumps({"id": "z", "text": "\x00" * 10_000, "language": _HIDDEN, "topic": _HIDDEN}).encode(),
        b"\xff\xfe" * 1_000,
    ]
    with scene.http() as http:
        for chat in ("eve", "..%2f..%2fetc", "%00", "x" * 3_000):
            for body in bodies:
                answer = http.post(path.format(chat), content=body)
                assert answer.status_code < 500, (chat[:10], body[:20], answer.text)


ATTACKS: tuple[Callable[[Scene], None], ...] = (
    flood,
    slow_answers_everywhere,
    stops_and_starts,
    commands,
    decisions_that_nobody_takes,
    texts_that_patterns_hate,
    signs_that_no_text_has,
    updates_of_a_wrong_shape,
    files_that_unpack_without_end,
    conversations_without_number,
    listeners_without_number,
    bodies_of_a_wrong_shape,
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_a_colleague_is_answered_during(scene: Scene, attack: Callable[[Scene], None]) -> None:
    read = len(scene.parley.log)
    attack(scene)
    for number in range(3):
        scene.ann.ask(
            f"still there {number}, {attack.__name__}?", f"still there {number}, {attack.__name__}?"
        )
    scene.ann.send(TelegramUpload("list.txt", b"milk and honey", "text/plain"), caption="what is in it?")
    scene.ann.sees("list.txt")
    log = scene.parley.log[read:]
    assert scene.parley.alive
    mistakes = [line for line in log.splitlines() if any(each in line for each in _LOG_MAY_NOT_SAY)]
    assert not mistakes, log[-6000:]
