"""Rows about what is streamed and said, files, and several agents together."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence

from parley.core.model.types import Outcome
from tests.agents.graphs.attachments import PIXEL
from tests.agents.rows import Row, Turn

_PIXEL = b64decode(PIXEL)
_REPORT = b"# Report\n\nAll is well.\n"
_SECRET = ("SECRET-THOUGHT",)

_STREAMS: Sequence[Row] = (
    Row("streams.progress", (Turn("hello", "You said: hello", grows=True),)),
    Row("streams.writes_tokens", (Turn("hello", "These are tokens.", grows=True),)),
    Row("streams.writes_strings", (Turn("hello", "read", steps=("Reading the first page",)),)),
    Row("streams.writes_types", (Turn("hello", "done", steps=("Half of it is done",)),)),
    Row(
        "streams.says_what_it_does",
        (
            Turn(
                "hello",
                "It says 42.",
                steps=("Search web · tariffs · 1 page · https://example.org/tariff",),
            ),
        ),
    ),
    Row("streams.slow", (Turn("hello", "w0 w1 w2 w3...", grows=True),)),
    Row("streams.endless", (Turn("hello", "more...", outcome=Outcome.CANCELLED, stop=True),)),
    Row("streams.long_text", (Turn("hello", "0123456789 " * 18_000 + "end"),)),
    Row("streams.classifier", (Turn("hello", "You said: hello", never=("INTERNAL",), grows=True),)),
    Row("streams.remove_message", (Turn("hello", "This is final."),)),
    Row("streams.remove_all", (Turn("hello", "After the rewrite."),)),
)
_SPEECH: Sequence[Row] = (
    Row("speech.thinking", (Turn("hello", "Anthropic's way", never=_SECRET, steps=("Thinking",)),)),
    Row("speech.reasoning", (Turn("hello", "LangChain's way", never=_SECRET, steps=("Thinking",)),)),
    Row("speech.think_tags", (Turn("hello", "The open answer.", never=_SECRET),)),
    Row(
        "speech.citations",
        (Turn("hello", "Water boils at 100 degrees.\n\n[On water](https://example.org/water)"),),
    ),
    Row("speech.refusal", (Turn("hello", "I cannot help with that."),)),
    Row("speech.server_tools", (Turn("hello", "It rains.", steps=("Web search",)),)),
    Row("speech.structured_tool", (Turn("hello", "- **Name**: Ada\n- **Age**: 36"),)),
    Row("speech.structured_provider", (Turn("hello", "- **Name**: Ada\n- **Age**: 36"),)),
    Row(
        "speech.summaries",
        tuple(Turn(said, f"You said: {said}", never=("SUMMARY",)) for said in ("one", "two", "three")),
    ),
    Row(
        "speech.with_tools",
        (Turn("hello", "Let me look.\n\nIt is sunny in Bonn.", steps=("Weather",)),),
    ),
    Row("speech.return_direct", (Turn("hello", "Which year do you mean?"),)),
    Row("speech.tool_raises", (Turn("hello", "I could not find out.", never=("no station",)),)),
    Row("speech.todos", (Turn("hello", "All planned.", steps=("Buy milk", "Rest")),)),
)
_FILES: Sequence[Row] = (
    Row(
        "attachments.describes",
        (Turn("see", "I got text, image, text", given={"pixel.png": _PIXEL, "notes.txt": b"some notes"}),),
    ),
    Row("attachments.own_image", (Turn("hello", "Here it is.", files={"pixel.png": _PIXEL}),)),
    Row(
        "attachments.asks_about_image",
        (
            Turn("go", "Here it is.", Outcome.ASKED, files={"pixel.png": _PIXEL}, questions=("Keep it?",)),
            Turn(answers={"Keep it?": "yes"}, text="Kept: yes."),
        ),
    ),
    Row("attachments.image_url", (Turn("hello", "Here it is.\n\nhttps://example.org/cat.png"),)),
    Row(
        "attachments.tool_image",
        (Turn("hello", "Here is the picture.", files={"image-1.png": _PIXEL}),),
    ),
    Row(
        "attachments.tool_artifact",
        (Turn("hello", "Here is the plot.", files={"image-1.png": _PIXEL}),),
    ),
    Row(
        "attachments.tool_file",
        (Turn("hello", "Here is the report.", files={"report.md": _REPORT}),),
    ),
    Row(
        "attachments.deep_files",
        (
            Turn("write it", "The report is in `/report.md`.", files={"report.md": _REPORT}),
            Turn("where is it?", "As I said: /report.md has it all."),
        ),
    ),
    Row(
        "attachments.deep_lines", (Turn("hello", "See /notes.txt for it.", files={"notes.txt": b"one\ntwo"}),)
    ),
)
_TEAMS: Sequence[Row] = (
    Row("teams.supervisor", (Turn("hello", "It is 42.\n\nThe expert says 42.", never=("Transferring",)),)),
    Row(
        "teams.swarm",
        (
            Turn("hello", "alice here."),
            Turn("hand over", "bob here."),
            Turn("hello again", "bob here."),
        ),
    ),
)

ROWS: Sequence[Row] = (*_STREAMS, *_SPEECH, *_FILES, *_TEAMS)
