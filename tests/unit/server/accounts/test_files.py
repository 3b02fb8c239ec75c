"""What is kept of accounts: for one address, for its person alone, and not after an erasure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from parley.server.accounts.files import Account, AccountErased, AccountFiles
from tests.kit.bounded_process import BoundedProcess

DESK = Account("slack:ann", "desk", "https://desk.example.com/mcp")
WRITER = """
import sys
from pathlib import Path
from parley.server.accounts.files import Account, AccountErased, AccountFiles

files = AccountFiles(Path(sys.argv[1]))
generation = files.generation("slack:ann")
print("begun", flush=True)
sys.stdin.readline()
try:
    files.write(Account("slack:ann", "desk", "https://desk.example.com/mcp"), {"tokens": "t"}, generation)
except AccountErased:
    print("erased")
"""


def keep(files: AccountFiles, account: Account, tokens: str) -> None:
    files.write(account, {"tokens": tokens}, files.generation(account.person))


def test_another_address_person_or_name_is_another_account(tmp_path: Path) -> None:
    files = AccountFiles(tmp_path)
    keep(files, DESK, "t")
    assert files.read(DESK)["tokens"] == "t"
    for other in (
        Account("slack:bob", "desk", DESK.url),
        Account("slack:ann", "lab", DESK.url),
        Account("slack:ann", "desk", "https://desk.example.com/other"),
    ):
        assert (files.has(other), files.read(other)) == (False, {})


def test_a_file_in_the_place_of_another_account_is_not_read(tmp_path: Path) -> None:
    files = AccountFiles(tmp_path)
    moved = Account("slack:ann", "desk", "https://evil.example/mcp")
    keep(files, DESK, "t")
    keep(files, moved, "u")
    first, second = sorted(tmp_path.rglob("*.json"))
    content = first.read_text()
    first.write_text(second.read_text())
    second.write_text(content)
    assert (files.read(DESK), files.read(moved)) == ({}, {})


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"person": "slack:ann"}'])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, damage: str) -> None:
    files = AccountFiles(tmp_path)
    keep(files, DESK, "t")
    next(tmp_path.rglob("*.json")).write_text(damage)
    assert files.read(DESK) == {}


def test_what_another_process_began_before_an_erasure_is_not_kept_after_it(tmp_path: Path) -> None:
    files = AccountFiles(tmp_path)
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with BoundedProcess(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "begun\n"
        assert files.erase("slack:ann") == 0
        generation = files.generation("slack:ann")
        told, _ = writer.communicate("go\n")
    assert (told, writer.returncode) == ("erased\n", 0)
    assert files.servers("slack:ann") == ()
    files.write(DESK, {"tokens": "new"}, generation)
    assert files.read(DESK)["tokens"] == "new"


def test_an_erasure_leaves_nothing_of_the_person_and_all_of_others(tmp_path: Path) -> None:
    files = AccountFiles(tmp_path)
    keep(files, DESK, "t")
    keep(files, Account("slack:bob", "desk", DESK.url), "b")
    assert files.erase("slack:ann") == 1
    assert (files.erase("slack:ann"), files.servers("slack:bob")) == (0, ("desk",))
    (left,) = [each for each in tmp_path.iterdir() if each.is_dir()]
    assert {each.name for each in left.iterdir()} == {"generation", next(left.glob("*.json")).name}


def test_tokens_of_a_later_sign_in_are_not_forgotten_with_those_of_an_earlier(tmp_path: Path) -> None:
    files = AccountFiles(tmp_path)
    keep(files, DESK, "first")
    first = files.read(DESK)
    keep(files, DESK, "second")
    files.forget(DESK, first)
    assert files.read(DESK)["tokens"] == "second"
    files.forget(DESK, files.read(DESK))
    assert not files.has(DESK)


def test_who_was_never_there_has_no_generation_of_earlier(tmp_path: Path) -> None:
    with pytest.raises(AccountErased):
        AccountFiles(tmp_path).write(DESK, {"tokens": "t"}, "")
