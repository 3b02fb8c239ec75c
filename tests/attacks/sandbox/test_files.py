"""What commands do to the files of their conversation, and what they leave there for Parley to read."""

from __future__ import annotations

import asyncio
import os

import pytest

from parley.server.workspace.paths import PathRefused
from tests.attacks.sandbox.bench import SECRET, Bench, open_place
from tests.kit.product.sandbox import sleep

pytestmark = pytest.mark.attacks


async def test_an_ordinary_command_works_on_the_files(bench: Bench) -> None:
    bench.folder.write("/in/words.txt", b"b\na\n")
    bench.folder.write("/old.txt", b"x")
    result = await bench.run("sort in/words.txt | tee out.txt; rm old.txt; mkdir -p new/empty; exit 3")
    assert (result.ending.output, result.ending.exit_code, result.ending.reason) == ("a\nb\n", 3, None)
    assert bench.folder.read("/out.txt") == b"a\nb\n"
    assert bench.paths() == ["/in", "/in/words.txt", "/new", "/new/empty", "/out.txt"]
    assert (result.changes.written, result.changes.deleted) == (("/out.txt",), ("/old.txt",))


async def test_an_archive_that_names_other_owners_is_unpacked(bench: Bench) -> None:
    said = await bench.says("echo x > a; tar --owner=5 --group=6 -cf a.tar a; rm a; tar -xf a.tar && cat a")
    assert said == "x\n\n0 None"


async def test_files_and_folders_take_the_place_of_each_other(bench: Bench) -> None:
    for path in ("/file", "/folder/inner/x", "/same"):
        bench.folder.write(path, b"a")
    await bench.run("rm file; mkdir file; echo > file/in; rm -r folder; printf b > folder; printf b > same")
    assert bench.paths() == ["/file", "/file/in", "/folder", "/same"]
    assert (bench.folder.read("/folder"), bench.folder.read("/same")) == (b"b", b"b")


async def test_what_others_write_meanwhile_stays(bench: Bench) -> None:
    bench.folder.write("/mine.txt", b"1")
    nap = sleep(1)
    command = asyncio.create_task(bench.run(f"sleep {nap.time}; rm *; echo 2 > own.txt"))
    await nap.until_there(1)
    bench.folder.write("/sent.txt", b"new")
    await command
    assert bench.paths() == ["/own.txt", "/sent.txt"]


async def test_only_ordinary_files_come_back(bench: Bench) -> None:
    with open_place() as place:
        (place / "secret").write_text(SECRET)
        bench.folder.write("/was.txt", b"was")
        result = await bench.run(
            f"ln -s {place}/secret link; ln -s {place} folder; ln -s / root; mkfifo pipe; "
            "echo x > one; ln one two; "
            "rm was.txt; ln -s /etc/passwd was.txt; mkdir -p deep && cd deep && ln -s .. up; cd ..; "
            "cp /usr/bin/id suid; chmod 6755 suid; printf x > 'a\\b'; printf x > \"$(printf 'a\\nb')\"; "
            "truncate -s 1T sparse; printf ok > plain"
        )
    assert result.ending.exit_code == 0, result.ending.output
    files = [path for path in bench.paths() if path != "/deep"]
    assert files == ["/plain", "/suid", "/was.txt"]
    assert bench.folder.read("/was.txt") == b"was", "a link does not take its place"
    for path in ("/link", "/folder/secret", "/root/etc/passwd", "/deep/up/plain"):
        with pytest.raises(PathRefused):
            bench.folder.read(path)
    kept = bench.folder.root / "suid"
    assert (kept.stat().st_mode & 0o7777, kept.stat().st_uid) == (0o600, os.geteuid())
    left_out = " ".join(result.changes.left_out)
    for name in ("link", "folder", "root", "pipe", "one", "two", "was.txt", "up", "a\\\\b", "sparse"):
        assert name in left_out, name


async def test_the_folder_in_there_cannot_be_swapped_for_another(bench: Bench) -> None:
    result = await bench.run("cd ..; mv workspace moved; ln -s /usr/bin workspace; printf x > moved/own")
    assert (result.changes.written, bench.paths()) == (("/own",), ["/own"])


async def test_links_in_the_workspace_do_not_come_in(bench: Bench) -> None:
    bench.folder.write("/a.txt", b"a")
    with open_place() as place:
        (place / "secret").write_text(SECRET)
        (bench.folder.root / "link").symlink_to(place / "secret")
        (bench.folder.root / "hard").hardlink_to(place / "secret")
        assert SECRET not in await bench.says("cat *; ls")
