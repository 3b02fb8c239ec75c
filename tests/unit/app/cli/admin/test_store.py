"""`parley store copy`, and what `parley check` says of a store."""

import asyncio

import pytest

from parley.app.cli.main import main
from parley.app.cli.progress import Progress
from tests.kit.store.contents import fill, seen


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text("data_dir: here\nconsole: {port: 0}\n")
    return tmp_path


async def test_everything_goes_to_another_file_and_the_counts_are_printed(folder, capsys):
    await fill(folder)
    code = await asyncio.to_thread(main, ["store", "copy", "sqlite", "sqlite:///there/new.db"])
    said = capsys.readouterr().out
    assert code == 0
    assert "2 waiting, 0 finished, 0 dead, 0 cancelled, 1 names, 1 documents" in said
    assert await seen(folder, "sqlite:///there/new.db") == (["1", "2"], "v")
    assert await seen(folder, f"sqlite:///{folder}/here/parley.db") == (["1", "2"], "v")


async def test_a_name_of_the_environment_or_of_dotenv_stands_for_an_address(folder, capsys):
    await fill(folder)
    (folder / ".env").write_text("NEW_STORE=sqlite:///named.db\n")
    assert await asyncio.to_thread(main, ["store", "copy", "sqlite", "$NEW_STORE"]) == 0
    assert (folder / "named.db").exists()
    assert await asyncio.to_thread(main, ["store", "copy", "sqlite", "$NOT_SET"]) == 2
    assert "NOT_SET is not set" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "target", "code", "why"),
    [
        ("sqlite", "sqlite", 2, "the same store"),
        ("sqlite", "mysql://ann:secret@db/x", 2, "sqlite:///FILE or postgresql://"),
        ("sqlite:///nowhere.db", "sqlite:///new.db", 1, "no such store"),
        ("postgresql://ann:se/cret@db:5432/x", "sqlite", 1, "is not an address"),
        ("postgresql://ann:se@cret@db:5432/x", "sqlite", 1, "is not an address"),
        ("postgresql://ann:secret@127.0.0.1:1/x", "sqlite", 1, "cannot be reached"),
    ],
)
def test_what_cannot_be_copied_is_one_line_without_a_password(folder, capsys, source, target, code, why):
    assert main(["store", "copy", source, target]) == code
    said = capsys.readouterr()
    assert why in said.err
    assert len(said.err.splitlines()) == 1
    assert "cret" not in said.err + said.out


def test_check_names_a_store_that_is_away_without_its_password(folder, capsys):
    url = "postgresql://ann:secret-word@127.0.0.1:1/parley"
    (folder / "config.yaml").write_text(f"console: {{port: 0}}\nstore: {{url: '{url}'}}\n")
    assert main(["check"]) == 1
    said = capsys.readouterr()
    assert "store.url: PostgreSQL at 127.0.0.1:1/parley: the server cannot be reached" in said.out
    assert "secret-word" not in said.out + said.err


def test_progress_is_told_now_and_then_only():
    now = [0.0]
    lines: list[str] = []
    progress = Progress(lambda: now[0], lines.append)
    for step in range(1, 11):
        now[0] = step / 2
        progress("items", step * 1000, 10_000)
    assert lines == ["  items: 4,000 of 10,000", "  items: 8,000 of 10,000"]
