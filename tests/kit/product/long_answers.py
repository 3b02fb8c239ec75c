"""Long answers, to be interrupted."""

from __future__ import annotations

from tests.kit.machine import patience
from tests.kit.product.scene import Scene
from tests.kit.product.web_person import Entry, WebPerson

_MOST = 500
"""The demonstration counts no further."""


def far(seconds: float) -> int:
    """How far to count, a word every 0.03 s, for an answer that goes on so long on a quiet machine.

    On a slow one it goes on longer: whoever shall see it grow, or break in, comes in time there too.
    """
    return min(_MOST, round(patience(seconds) / 2 / 0.03))


LAST = far(1.8)
_COUNTED = " ".join(str(number) for number in range(1, LAST + 1))


def counting(person: WebPerson) -> tuple[str, Entry]:
    """Somebody has asked for a long answer; gives the message's id and a snapshot from the midst of it."""
    message = person.say(f"Count to {LAST}")
    return message, next(entry for entry in person.replies(message) if "4 5 6" in entry["text"])


def goes_on(person: WebPerson, message: str, seen: Entry) -> None:
    """The answer that was seen growing comes to its end, in its place."""
    *_, final = person.replies(message)
    assert final["id"] == seen["id"]
    assert final["text"].endswith(_COUNTED)
    assert [entry["role"] for entry in person.entries()] == ["user", "agent"]


def survives_kill_9(scene: Scene, person: WebPerson) -> None:
    """Kill Parley while it answers on the web and in a group of Telegram, and start it again."""
    bob = scene.group()
    asked = bob.say(f"Count to {LAST}", mention=True)
    message, seen = counting(person)
    scene.parley.kill()
    scene.parley.start()
    goes_on(person, message, seen)
    assert bob.sees(f"{LAST - 1} {LAST}").reply_to == asked
    assert len(bob.shown()) == 1
