"""What the built-in agent can do, all of it switched on at once: on the page and on every platform."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.responses import Response

from tests.e2e.built_in.test_steps_in_chats import each, everywhere
from tests.kit.doubles.llm_provider import says
from tests.kit.product.step_viewers import StepViewer
from tests.unit.server.default_agent.mcp.scene import BY_STDIO, write_servers
from tests.unit.server.default_agent.scripted_model import Asked, calls, repeats_result, streams, took
from tests.unit.server.default_agent.small_model import SUMMARY_ASKED, words_of

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

PROMPT = "PLACE: {place}; PERSON: {person}; DATE: {date}; LANGUAGE: {language}."
BUILT_IN = {
    "prompt_file": "prompt.md",
    "tools": ["my_tools.py:look_up"],
    "web": {"fetch": True},
    "clarification": True,
    "fallbacks": ["openai:n"],
    "guardrails": {"deny": ["read_file"], "same_calls_per_run": 3},
    "workspace": {"enabled": True},
}


def model(asked: Asked) -> Response:
    """Do what the newest words of the person say."""
    messages = asked["messages"]
    said = str(next(each["content"] for each in reversed(messages) if each["role"] == "user"))
    if "Go round" in said:
        return calls("look_up", place="Rome")(asked)
    if messages[-1]["role"] == "tool":
        return repeats_result(asked)
    if "Break" in said and asked["model"] == "m":
        return Response("broken", 500)
    if "What do you know" in said:
        return streams(content=messages[0]["content"].partition("\n")[0])(asked)
    if "Read inside" in said:
        return calls("web_fetch", url="http://127.0.0.1:9/")(asked)
    if "Ask me" in said:
        return calls("ask_person", question="Which city?", options=["Rome", "Oslo"])(asked)
    if "forbidden" in said:
        return calls("read_file", file_path="/x")(asked)
    return took(7, streams(content=f"I am the model {asked['model']}."))(asked)


def hears(viewer: StepViewer, said: str, words: str) -> str:
    """Say something, and return the answer that has these words."""
    before = len(viewer.decider.seen())
    viewer.decider.say(said)
    return viewer.decider.sees(words, before)[1]


def talks(viewer: StepViewer) -> None:
    """Use one ability after the other."""
    hears(viewer, "Hello", "I am the model m.")
    known = hears(viewer, "What do you know?", "PLACE: a private chat on ")
    assert '; PERSON: "' in known
    assert "; LANGUAGE: en." in known
    assert "{" not in known
    hears(viewer, "Read inside", "its address is not a public one")
    hears(viewer, "Do what is forbidden", "The tool read_file may not be used here.")
    hears(viewer, "Go round", "I called look_up 3 times")
    hears(viewer, "Break", "I am the model n.")

    before = len(viewer.decider.seen())
    viewer.decider.say("Ask me")
    message, _, buttons = viewer.decider.sees("Which city?", before)
    assert {"Rome", "Oslo"} <= set(buttons)
    viewer.decider.press(message, "Oslo")
    viewer.decider.sees("The person answers: Oslo", before)

    hears(viewer, "/models openai:n", "openai:n")
    hears(viewer, "Hello again", "I am the model n.")
    # A turn is counted just after its answer is there.
    while "output tokens: 21" not in hears(viewer, "/usage", "output tokens: "):
        pass


async def test_every_ability_works_on_the_page_and_on_every_platform(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text(PROMPT)
    (tmp_path / "Rome").touch()
    agent = {"models": ["openai:n"]}
    async with everywhere(tmp_path, model, BUILT_IN, agent, "one") as viewers:
        await each(viewers, talks)


async def test_what_was_said_long_ago_is_kept_in_a_summary(tmp_path: Path) -> None:
    def forgetful(asked: Asked) -> Response:
        """Know the word only as long as it reads it."""
        words = " ".join(map(words_of, asked["messages"]))
        known = "The word is PLOVER." if "PLOVER" in words else "I do not know the word."
        if SUMMARY_ASKED not in words:
            return streams(content=known)(asked)
        summaries.append(words)
        return (streams(content=known) if asked.get("stream") else says(known))(asked)

    def tells(viewer: StepViewer) -> None:
        hears(viewer, "The word is PLOVER. Keep it.", "The word is PLOVER.")
        for number in range(8):
            hears(viewer, f"{number}: {'something more to say ' * 60}", "The word is PLOVER.")

    summaries: list[str] = []
    async with everywhere(tmp_path, forgetful, {"context_window": 2_000}, slack="one") as viewers:
        await each(viewers, tells)
        assert len(summaries) >= len(viewers)


async def test_a_tool_of_an_mcp_server_is_approved(tmp_path: Path) -> None:
    def writes(asked: Asked) -> Response:
        """Write a note of the name that the person says."""
        last = asked["messages"][-1]
        if last["role"] == "tool":
            return repeats_result(asked)
        return calls("notes_write", name=str(last["content"]))(asked)

    def approves(viewer: StepViewer) -> None:
        viewer.decider.say(f"from-{viewer.decider.name}")
        message, _, buttons = viewer.decider.sees("notes_write")
        assert "Approve notes_write" in buttons
        viewer.decider.press(message, "Approve notes_write")
        viewer.decider.sees(f"written from-{viewer.decider.name}")

    write_servers(tmp_path, notes={**BY_STDIO, "env": {"OWNER": "Ann"}, "cwd": "."})
    async with everywhere(tmp_path, writes, {"mcp": {"file": "mcp.json"}}, slack="one") as viewers:
        await each(viewers, approves)
        written = (tmp_path / "written").read_text().split()
        assert sorted(written) == sorted(f"from-{viewer.decider.name}" for viewer in viewers)
