"""The built-in agent knows of its skills, and reads one when it needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.core.model.errors import ConfigError
from parley.server.default_agent.skills.tools import OfferedSkills
from parley.server.options import DefaultAgentOptions, SkillOptions, ToolRules
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.scripted_model import Asked, calls, offered, repeats_result, streams
from tests.unit.server.default_agent.skills.archives import BODY, put, skill


def options(root: Path, *names: str, deny: tuple[str, ...] = ()) -> DefaultAgentOptions:
    return DefaultAgentOptions(skills=SkillOptions(root, names), rules=ToolRules(deny=deny))


def prompt(asked: Asked) -> str:
    return str(asked["messages"][0]["content"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return put(tmp_path / "skills", skill() | skill("trip", "Plan trips."))


async def test_a_skill_is_read_when_it_is_needed(tmp_path: Path, root: Path) -> None:
    async with conversation(tmp_path, options(root, "report")) as talk:
        final = await talk.say("Write my report", calls("read_skill", name="report"), repeats_result)
        assert final.text == f"{BODY}\nOther files of this skill: references/style.md".replace(
            BODY, (root / "report/SKILL.md").read_text()
        )
        assert [(step.title, step.status) for step in final.steps] == [("Read skill", "done")]
        first = prompt(talk.model.asked[0])
        assert "- report: Write weekly reports." in first
        assert "PLOVER" not in first, "only the head is told before the skill is read"
        assert "trip" not in first, "what is not on is not there"

        final = await talk.say(
            "More", calls("read_skill", name="report", path="references/style.md"), repeats_result
        )
        assert final.text == "Short sentences."


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("trip", "SKILL.md", "there is no skill trip; there are: report"),
        ("../skills/trip", "SKILL.md", "there is no skill"),
        ("report", "../trip/SKILL.md", "a path may not go up"),
        ("report", "link", "it cannot be read as a file"),
        ("report", "picture.png", "it is no UTF-8 text"),
        ("report", "long", "it has more than 200,000 bytes"),
        ("report", "none.md", "there is no such file"),
        ("report", "/", "name a file"),
    ],
)
async def test_nothing_but_texts_of_skills_that_are_on_is_read(
    tmp_path: Path, root: Path, name: str, path: str, words: str
) -> None:
    put(root, {"report/picture.png": b"\x89PNG", "report/long": bytes(200_001)})
    (root / "report/link").symlink_to("/etc/passwd")
    async with conversation(tmp_path, options(root, "report")) as talk:
        final = await talk.say("Go", calls("read_skill", name=name, path=path), repeats_result)
        assert words in final.text
        assert [step.status for step in final.steps] == ["failed"]


async def test_a_skill_that_changes_is_told_as_it_is_then(
    tmp_path: Path, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with conversation(tmp_path, options(root, "report", "trip")) as talk:
        await talk.say("Hi", streams(content="ok"))
        put(root, skill("report", "Write daily reports."))
        (root / "trip/SKILL.md").unlink()
        await talk.say("Hi", streams(content="ok"))
        told = prompt(talk.model.asked[-1])
        assert "- report: Write daily reports." in told
        assert "trip" not in told
        assert "the skill trip is left out" in caplog.text


async def test_rules_hold_for_skills_too(tmp_path: Path, root: Path) -> None:
    async with conversation(tmp_path, options(root, "report", deny=("read_skill",))) as talk:
        await talk.say("Hi", streams(content="ok"))
        assert offered(talk.model.asked[0]) == []
        assert "Write weekly reports" not in prompt(talk.model.asked[0])


def test_a_skill_that_is_on_and_cannot_be_used_stops_the_start(root: Path) -> None:
    with pytest.raises(ConfigError, match=r"built_in.skills: none: .*no such file"):
        OfferedSkills(SkillOptions(root, ("report", "none")))


async def test_without_the_setting_there_is_no_such_tool(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions()) as talk:
        await talk.say("Go", streams(content="ok"))
        assert offered(talk.model.asked[0]) == []
