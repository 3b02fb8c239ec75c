"""The types of the page's script say what the server sends and takes."""

import re
from dataclasses import fields

import pytest

from parley.channels.web.api.request_bodies import DecisionBody, EditBody, NewMessageBody
from parley.channels.web.chat.entries import ChatConversation, EntryLocation, TranscriptEntry, WebTopic
from parley.channels.web.files.file_ref import FileRef
from parley.console.api.setup_state import (
    SetupAgent,
    SetupKey,
    SetupPlatform,
    SetupScan,
    SetupState,
    SetupWait,
)
from parley.core.model.questions import Option, Question
from parley.core.model.types import Step
from parley.core.ports.channel import CommandInfo
from tests.kit.checkout import ROOT

TYPES = (ROOT / "channels/web/page/kit/protocol.d.ts").read_text("utf-8")
INTERFACE = re.compile(r"interface (\w+)(?: extends (\w+))? \{\n((?:  .*\n)+)\}")
DECLARED = {
    name: (base, re.findall(r"^  (\w+)\??:", body, re.MULTILINE))
    for name, base, body in INTERFACE.findall(TYPES)
}


def declared(name: str) -> list[str]:
    """The fields of an interface, inherited ones first."""
    if not name:
        return []
    base, own = DECLARED[name]
    return [*declared(base), *own]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Place", EntryLocation),
        ("Step", Step),
        ("FileRef", FileRef),
        ("Option", Option),
        ("Question", Question),
        ("Entry", TranscriptEntry),
        ("Topic", WebTopic),
        ("Chat", ChatConversation),
        ("Command", CommandInfo),
        ("NewMessage", NewMessageBody),
        ("Edit", EditBody),
        ("Decision", DecisionBody),
        ("SetupKey", SetupKey),
        ("SetupPlatform", SetupPlatform),
        ("SetupScan", SetupScan),
        ("SetupWait", SetupWait),
        ("SetupAgent", SetupAgent),
        ("SetupState", SetupState),
    ],
)
def test_a_type_of_the_page_has_the_fields_of_the_servers(name: str, value: type) -> None:
    assert sorted(declared(name)) == sorted(field.name for field in fields(value))
