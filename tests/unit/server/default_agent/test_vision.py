"""A picture from a chat goes to models that see it; for others a sentence stands in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parley.core.model.attachments import Attachment, AttachmentKind
from parley.server.options import DefaultAgentOptions
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.scripted_model import streams

GIF = "GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
"""A whole picture of one point, in ASCII."""
PICTURE = Attachment(AttachmentKind.IMAGE, "point.gif", "image/gif", len(GIF), GIF)


def asked(request: dict[str, Any]) -> Any:  # noqa: ANN401 - text, or blocks
    return next(each["content"] for each in reversed(request["messages"]) if each["role"] == "user")


@pytest.mark.parametrize("vision", [None, True])
async def test_a_model_that_sees_gets_the_picture(tmp_path: Path, vision: bool | None) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(), vision=vision) as talk:
        told = await talk.say("Look", streams(content="A point."), attachments=(PICTURE,))
        assert [part["type"] for part in asked(talk.model.asked[0])] == ["text", "image_url"]
        assert told.steps == ()


async def test_for_another_a_sentence_stands_there_and_the_person_reads_why(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(), vision=False) as talk:
        told = await talk.say("Look", streams(content="I cannot see it."), attachments=(PICTURE,))
        content = asked(talk.model.asked[0])
        assert content.startswith("Look\n[A picture is here, which you cannot see")
        assert [(step.title, step.status) for step in told.steps] == [("m cannot see pictures", "failed")]
        told = await talk.say("And now?", streams(content="No."))
        assert told.steps == ()
        assert "GIF" not in str(talk.model.asked[1])
