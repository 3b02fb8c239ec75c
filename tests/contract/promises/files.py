"""Files, in and out."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from parley.core.model.attachments import AttachmentKind, StoredFile
from tests.contract.driver import Upload
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import answering
from tests.contract.promise import given, needs

_NAME = "figures 2024 (final).bin"


def _bytes(size: int) -> bytes:
    return random.Random(size).randbytes(size)


async def promise_files_come_in_whole(scene: Scene) -> None:
    """A file that somebody sends reaches the agent byte for byte, with its name."""
    place, content = await scene.driver.private(), _bytes(150_000)
    await scene.driver.attach(place, [Upload(_NAME, content)], "look at this")
    await scene.until_done(place)
    (request,) = scene.agent.requests
    (file,) = request.files
    assert "look at this" in request.text
    assert (file.name, file.size) == (_NAME, len(content))
    assert await asyncio.to_thread(Path(file.path).read_bytes) == content


@given(max_file=50_000)
async def promise_too_large_is_left_out(scene: Scene) -> None:
    """A file over the size limit is left out and named; the turn continues without it."""
    place = await scene.driver.private()
    await scene.driver.attach(place, [Upload("big.bin", _bytes(60_000))], "and this?")
    await scene.until_done(place)
    (request,) = scene.agent.requests
    assert not request.files
    assert "and this?" in request.text
    (answer,) = await scene.answers(place)
    assert "big.bin" in answer


@needs("lies")
@given(max_file=50_000)
async def promise_the_cap_counts_bytes(scene: Scene) -> None:
    """The size limit applies to the bytes received, whatever size was declared."""
    place = await scene.driver.private()
    await scene.driver.attach(place, [Upload("small.bin", _bytes(60_000), declared=10)])
    await scene.until_done(place)
    (request,) = scene.agent.requests
    assert not request.files
    assert not [path for path in (scene.folder / "files").rglob("*") if path.is_file()]


async def promise_files_go_out_whole(scene: Scene) -> None:
    """Files of an answer are shown once, in order, byte for byte, with their names, after its text."""
    place = await scene.driver.private()
    contents = {"chart.csv": _bytes(40_000), "ünïcode 名.txt": _bytes(3_000)}
    scene.agent.script = answering("Two files.", [_stored(scene.folder, *item) for item in contents.items()])
    await scene.ask(place, "files, please")
    shown = await scene.shown(place)
    assert [message.text for message in shown if message.text] == ["Two files."]
    assert [name for message in shown for name in message.files] == list(contents)
    for message in shown:
        for name in message.files:
            assert await scene.driver.content(place, message, name) == contents[name]


async def promise_a_file_without_words_is_an_answer(scene: Scene) -> None:
    """An answer may consist of a file only."""
    place = await scene.driver.private()
    scene.agent.script = answering("", [_stored(scene.folder, "only.bin", _bytes(500))])
    await scene.ask(place, "just the file")
    assert [name for message in await scene.shown(place) for name in message.files] == ["only.bin"]


def _stored(folder: Path, name: str, content: bytes) -> StoredFile:
    path = folder / f"made-{len(content)}"
    path.write_bytes(content)
    return StoredFile(AttachmentKind.FILE, name, "application/octet-stream", len(content), str(path))
