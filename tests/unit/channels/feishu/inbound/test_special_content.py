"""Polls, tasks, events and the like, as words."""

from typing import Any

import pytest

from parley.channels.feishu.inbound.special_content import MOST_LINES, special_text
from tests.kit.platforms.feishu_channel import KeepingInbox, listening

# As they were seen in events: the kind, its content, and what the agent reads.
KINDS = {
    "vote": ({"topic": "Lunch?", "options": ["noodles", "rice"]}, "[poll] Lunch?\n- noodles\n- rice"),
    "todo": (
        {
            "task_id": "t1",
            "summary": {
                "title": "",
                "content": [[{"tag": "text", "text": "write"}, {"tag": "text", "text": " it"}]],
            },
            "due_time": "1764000000000",
        },
        "[task] write it\ndue 2025-11-24 16:00 UTC",
    ),
    "share_calendar_event": (
        {"summary": "Demo", "start_time": "1764000000000", "end_time": "1764003600000"},
        "[calendar event] Demo\n2025-11-24 16:00 UTC to 2025-11-24 17:00 UTC",
    ),
    "video_chat": (
        {"topic": "Sync", "start_time": "1764000000000", "meet_number": "123456789"},
        "[video meeting] Sync\n2025-11-24 16:00 UTC\nnumber 123456789",
    ),
    "location": ({"name": "Tower", "longitude": "1.5", "latitude": "2.5"}, "📍 Tower, 2.5, 1.5"),
    "share_chat": ({"chat_id": "oc_1"}, "[group card] oc_1"),
    "share_user": ({"user_id": "ou_1"}, "[contact card] ou_1"),
    "hongbao": ({"text": "恭喜发财"}, "[red packet] 恭喜发财"),
    "folder": ({"file_name": "docs"}, "[folder, which Feishu does not hand out] docs"),
    "sticker": ({"file_key": "file_1"}, "[sticker]"),
    "interactive": ({"elements": [[{"tag": "img", "image_key": "img_1"}]]}, "[card without words]"),
    "post": ({"title": "", "content": [[{"tag": "spaceship"}]]}, "[rich text without words]"),
    "audio": ({"duration": 3000}, "[voice message that cannot be opened]"),
    "spaceship": ({"engines": 4}, "[spaceship: a kind of message that Feishu does not let a bot read]"),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_is_heard_as_words(world, kind):
    content, text = KINDS[kind]
    inbox = KeepingInbox()
    world.people.send_raw(world.ann.chat, world.ann.open_id, kind, content)
    async with listening(world.channel, inbox):
        (told,) = await inbox.first()
    assert (told.text, told.addressed) == (text, True)


@pytest.mark.parametrize("kind", ["system", "None", "", "x" * 200, "../.."])
def test_what_no_person_writes_says_nothing(kind):
    assert special_text(kind, {"template": "{from_user} joined"}) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_strange_breaks_it(kind):
    strange: tuple[Any, ...] = (
        None,
        17,
        "text",
        [],
        [None, 3, {"text": 4}],
        {"content": [[3], "x"]},
        "9" * 14,
        "9" * 300,
    )
    for value in strange:
        keys = (
            "topic",
            "options",
            "summary",
            "due_time",
            "start_time",
            "end_time",
            "name",
            "chat_id",
            "text",
        )
        assert special_text(kind, dict.fromkeys(keys, value))


def test_a_crowd_of_options_ends():
    assert len(special_text("vote", {"topic": "?", "options": ["x"] * 1000}).splitlines()) <= MOST_LINES
