"""`parley skills` installs, lists and removes, and says what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.app.cli.main import main
from tests.unit.server.default_agent.skills.archives import put, skill, zipped


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text("")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["skills", *words]) == code
    found = capsys.readouterr()
    return found.err if code else found.out


def test_a_skill_comes_is_on_and_goes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "list") == f"There are no skills in {folder}/skills.\n"
    zipped(folder / "report.zip", skill())
    told = said(capsys, "install", "report.zip")
    assert f"Installed report in {folder}/skills/report: Write weekly reports." in told
    assert said(capsys, "list") == "off  report: Write weekly reports.\n"

    (folder / "config.yaml").write_text(told.splitlines()[-1] + "\n")
    assert said(capsys, "list") == "on   report: Write weekly reports.\n"
    assert "is on; take it out" in said(capsys, "remove", "report", code=1)
    assert "already there" in said(capsys, "install", "report.zip", code=1)

    (folder / "config.yaml").write_text("")
    assert said(capsys, "remove", "report") == "Removed report.\n"
    assert "There is no skill report" in said(capsys, "remove", "report", code=1)


def test_what_is_wrong_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config.yaml").write_text("built_in: {skills: {enabled: [gone], folder: mine}}\n")
    put(folder / "mine", {"odd/SKILL.md": b"---\nname: even\ndescription: x\n---\n"})
    listed = said(capsys, "list").splitlines()
    assert listed[0].startswith("on   gone: cannot be used: gone: ")
    assert listed[1].startswith("off  odd: cannot be used: odd: SKILL.md: its name is even")
    assert "name the archive" in said(capsys, "install", code=2)
    assert "broken" in said(capsys, "install", "config.yaml", code=1)
