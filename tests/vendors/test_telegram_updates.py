"""Updates that the contract does not make, and the calls that they lead to, against the types of grammY."""

from __future__ import annotations

import pytest

from parley.channels.telegram.inbound.update_parser import UPDATE_KINDS
from parley.simulator.kit.json_values import Json
from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from tests.vendors.schemas.typescript import TypedValue, wrong_values
from tests.vendors.schemas.wire_types import TELEGRAM_IMPORTS

pytestmark = [pytest.mark.vendors, pytest.mark.timeout(300)]


def _updates() -> list[Json]:
    """Updates of a bot that is taken in, thrown out, blocked, spoken to and answered in a group."""
    with TelegramSimulator() as sim:
        sim.people.set_privacy(False)
        ann = sim.people.add_person("Ann").id
        group = sim.people.add_group("Team", [ann])
        sim.people.remove_bot(group)
        sim.people.add_bot(group)
        first = sim.people.say(group, ann, "hello")
        sim.people.say(group, ann, "hello?", reply_to=first)
        sim.people.send_file(ann, ann, TelegramUpload("", b"OggS", "audio/ogg", "voice"))
        sim.people.send_file(ann, ann, TelegramUpload("", b"ftyp", "video/mp4", "video_note"))
        sim.people.remove_bot(ann)
        sim.people.add_bot(ann)
        return [dict(update) for update in sim.world.waiting]


def test_updates_are_as_others_declare_them():
    values = [TypedValue(update, "Partly<Update>", "update") for update in _updates()]
    assert len(values) == 9
    assert wrong_values("telegram_updates", TELEGRAM_IMPORTS, values) == []


def test_the_calls_that_they_lead_to_are_as_others_declare_them():
    asked: dict[str, dict[str, Json]] = {
        "setMessageReaction": {
            "chat_id": -1001,
            "message_id": 5,
            "reaction": [{"type": "emoji", "emoji": "👀"}],
        },
        "setWebhook": {"url": "https://a.b/hooks/telegram", "allowed_updates": list(UPDATE_KINDS)},
    }
    values = [
        TypedValue(given, f'Opts<string>["{method}"]', f"call {method}") for method, given in asked.items()
    ]
    assert wrong_values("telegram_calls", TELEGRAM_IMPORTS, values) == []


def test_a_seeded_fault_in_an_update_is_seen():
    (update, *_) = _updates()
    assert isinstance(update, dict)
    change = update["my_chat_member"]
    assert isinstance(change, dict)
    change["new_chat_member"] = {"status": "expelled"}
    wrong = wrong_values("telegram_fault", TELEGRAM_IMPORTS, [TypedValue(update, "Partly<Update>", "update")])
    assert len(wrong) == 1
