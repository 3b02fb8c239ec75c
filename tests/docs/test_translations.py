"""The Chinese documents say the same as the English ones: structure, commands, settings and links."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT
from tests.kit.documents import blocks

PAIRS = {"README.md": "README.zh.md"} | {
    f"docs/{path.name}": f"docs/zh/{path.name}" for path in sorted((ROOT / "docs" / "zh").glob("*.md"))
}
_FENCED = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CELL = re.compile(r"(?<!\\)\|")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def text_of(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def shape(text: str) -> list[str]:
    """Each line as what it is: a heading of a level, a row of so many cells, a point, a paragraph."""
    found = []
    for line in _FENCED.sub("```", text).splitlines():
        stripped = line.strip()
        if heading := re.match(r"#+", stripped):
            found.append(heading[0])
        elif stripped.startswith("|"):
            found.append(f"row of {len(_CELL.findall(stripped)) - 1}")
        elif point := re.match(r"(?:-|\d+\.) |```|!\[|> ", stripped):
            found.append(point[0])
    return found


def spans(text: str) -> set[str]:
    """What is typed or set: everything between backticks."""
    return set(re.findall(r"`([^`\n]+)`", _FENCED.sub("", text)))


def targets(path: str) -> set[str]:
    """Where the links lead, without headings and without the one to the other language."""
    found = set()
    for target in _LINK.findall(_CODE.sub("", _FENCED.sub("", text_of(path)))):
        file = target.partition("#")[0]
        if file and ":" not in target:
            found.add(posixpath.normpath(posixpath.join(posixpath.dirname(path), file)))
        elif ":" in target:
            found.add(target)
    english = {chinese: name for name, chinese in PAIRS.items()}
    return {english.get(each, each) for each in found} - {path, english.get(path, path)}


@pytest.mark.parametrize(("english", "chinese"), PAIRS.items(), ids=PAIRS)
class TestPair:
    def test_commands_and_settings_are_the_same(self, english: str, chinese: str) -> None:
        first, second = ([(b.language, b.lines) for b in blocks(p, text_of(p))] for p in (english, chinese))
        assert second == first

    def test_headings_rows_and_points_are_the_same(self, english: str, chinese: str) -> None:
        assert shape(text_of(chinese)) == shape(text_of(english))

    def test_names_of_settings_and_commands_are_the_same(self, english: str, chinese: str) -> None:
        assert spans(text_of(chinese)) == spans(text_of(english))

    def test_links_lead_to_the_same_places(self, english: str, chinese: str) -> None:
        assert targets(chinese) == targets(english) - {chinese}

    def test_each_names_the_other_at_its_top(self, english: str, chinese: str) -> None:
        for here, there in ((english, chinese), (chinese, english)):
            first = text_of(here).splitlines()[2]
            assert _LINK.findall(first) == [posixpath.relpath(there, posixpath.dirname(here) or ".")]

    def test_each_line_of_words_is_chinese(self, english: str, chinese: str) -> None:
        words = re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", _FENCED.sub("", text_of(chinese)))
        same = set(text_of(english).splitlines())
        left = [
            line
            for line in words.splitlines()[3:]
            if len(re.findall(r"[a-zA-Z]{3,}", line)) > 6 and not _CHINESE.search(line) and line in same
        ]
        assert left == []

    def test_readers_are_addressed_politely(self, english: str, chinese: str) -> None:
        assert "你" not in text_of(chinese)


def test_there_are_the_pages_that_a_newcomer_needs() -> None:
    wanted = {"docs/telegram.md", "docs/slack.md", "docs/feishu.md", "docs/dingtalk.md", "README.md"}
    assert wanted <= set(PAIRS)
    assert all(Path(ROOT / path).is_file() for path in PAIRS)
