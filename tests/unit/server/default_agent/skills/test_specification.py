"""Heads of skills as the Agent Skills specification and its own reader (skills-ref) take and refuse them."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from parley.server.default_agent.skills.install import install_skill
from parley.server.default_agent.skills.library import load_skill, read_skill_text
from parley.server.default_agent.skills.skill_file import SkillHead, SkillRefused, read_head
from tests.unit.server.default_agent.skills.archives import skill, zipped


def head(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "Do it."])


@pytest.mark.parametrize(
    "name",
    ["a", "pdf-processing", "data-2", "2026", "1e3", "on", "x" * 64, "技能", "навык-2", "compétence", "기술"],
)
def test_names_that_are_taken(name: str) -> None:
    assert read_head(head(f"name: {name}", "description: It helps."), name) == SkillHead(name, "It helps.")


@pytest.mark.parametrize(("written", "name"), [("a\u0301b", "áb"), ("ｐｄｆ", "pdf")])
def test_letters_in_pieces_or_of_another_width_are_the_usual_ones(written: str, name: str) -> None:
    assert read_head(head(f"name: {written}", "description: It helps."), written).name == name


@pytest.mark.parametrize(
    "name",
    [
        *(
            "PDF-Processing",
            "-pdf",
            "pdf-",
            "pdf--processing",
            "pdf_processing",
            "pdf processing",
            "a/b",
            "..",
        ),
        *("x" * 65, "Навык", "技_能", "caf\u200be", "''", "~", "[a]", "{a: b}"),
    ],
)
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(SkillRefused, match="its name must have 1 to 64 small letters"):
        read_head(head(f"name: {name}", "description: It helps."))


def test_all_fields_of_the_specification_are_read_over() -> None:
    found = read_head(
        head(
            "name: pdf-processing",
            "description: >-",
            "  Extract text,",
            "  fill forms.",
            "license: Apache-2.0",
            "compatibility: Requires Python 3.14+ and uv",
            "metadata:",
            "  author: example-org",
            '  version: "1.0"',
            "allowed-tools: Bash(git:*) Read",
        ),
        "pdf-processing",
    )
    assert found == SkillHead("pdf-processing", "Extract text, fill forms.")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["name: a"], "1 to 1,024 characters, and has 0"),
        (["name: a", "description:"], "and has 0"),
        (["name: a", "description: ' '"], "and has 0"),
        (["name: a", "description: [it, helps]"], "and has 0"),
        (["name: a", f"description: {'x' * 1_068}"], "and has 1,068"),
        (["name: a", "name: b", "description: It helps."], "a key is there twice"),
        (["name: a", "description: Use it when: somebody asks."], "put texts with a colon in quotes"),
        (["description: It helps."], "its name must have"),
        (["just words"], "its name must have"),
    ],
)
def test_heads_that_are_refused_with_the_reason(lines: list[str], words: str) -> None:
    with pytest.raises(SkillRefused, match=words):
        read_head(head(*lines))


def test_what_yaml_takes_for_a_number_is_a_text() -> None:
    assert read_head(head("name: 2026", "description: 42")) == SkillHead("2026", "42")


def test_a_name_in_another_script_is_installed_also_where_it_is_written_in_pieces(tmp_path: Path) -> None:
    pieces = unicodedata.normalize("NFD", "기술-é")
    files = {name.replace("기술-é", pieces): content for name, content in skill("기술-é").items()}
    assert install_skill(zipped(tmp_path / "it.zip", files), tmp_path / "skills", 0.0).name == "기술-é"
    assert load_skill(tmp_path / "skills", "기술-é").description == "Write weekly reports."
    assert read_skill_text(tmp_path / "skills", "기술-é", "references/style.md") == "Short sentences."
