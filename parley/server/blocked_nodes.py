"""Names the node that blocks the loop of the graphs."""

from __future__ import annotations

import asyncio
import linecache
import logging
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_log = logging.getLogger(__name__)

_INTERVAL = 0.5
_BLOCKED = 1.0
"""Seconds without a turn of the loop; a long garbage collection stays below."""

_MOST_FRAMES = 200
_MOST_TASKS = 10
_LONGEST_LINE = 200


def _both(folder: Path) -> tuple[str, str]:
    """Return a folder as it is named, and without links: code may have been found by either."""
    return str(folder), str(folder.resolve())


_LIBRARIES = tuple(
    name
    for each in ("stdlib", "platstdlib", "purelib", "platlib")
    for name in _both(Path(sysconfig.get_paths()[each]))
)
_OURS = _both(Path(__file__).parents[1])


@dataclass(frozen=True, slots=True)
class BlockedNode:
    """Where a loop stands still: the line of the user's code, its node and graph, each "" if not known."""

    place: str
    line: str
    node: str = ""
    graph: str = ""


@contextmanager
def watched_from_aside(
    loop: asyncio.AbstractEventLoop, interval: float = _INTERVAL, blocked: float = _BLOCKED
) -> Iterator[None]:
    """Look at the loop of this thread from a thread of its own, which goes on when the loop is blocked."""
    theirs, aside = threading.get_ident(), asyncio.new_event_loop()
    watching = aside.create_task(watch_for_blocks(loop, theirs, interval, blocked))

    def look() -> None:
        with suppress(asyncio.CancelledError):
            aside.run_until_complete(watching)
        aside.close()

    # A daemon: what it looks at may never let go.
    threading.Thread(target=look, name="blocked nodes", daemon=True).start()
    try:
        yield
    finally:
        with suppress(RuntimeError):  # It is over already.
            aside.call_soon_threadsafe(watching.cancel)


async def watch_for_blocks(
    loop: asyncio.AbstractEventLoop, thread: int, interval: float = _INTERVAL, blocked: float = _BLOCKED
) -> None:
    """Look at a loop of another thread, and say in the log what blocks it, once each time."""
    beat = time.monotonic()

    def note() -> None:
        nonlocal beat
        beat = time.monotonic()

    said = 0.0
    while True:
        try:
            loop.call_soon_threadsafe(note)
        except RuntimeError:  # It is closed.
            return
        await asyncio.sleep(interval)
        if (silent := time.monotonic() - beat) < blocked:
            if said:
                _log.warning("the agent's graphs go on; they were blocked for about %.1f s", beat - said)
            said = 0.0
        elif not said:
            said = beat
            _say(find_blocked_node(loop, thread), silent)


def _say(found: BlockedNode | None, silent: float) -> None:
    if found is None:
        _log.warning("the agent's graphs have been blocked for %.1f s, by no code of theirs", silent)
        return
    _log.warning(
        "the graph %s has blocked all graphs for %.1f s: node %s, %s: %s"
        " (an async node must not wait without await; a plain function may)",
        found.graph or "(unknown)",
        silent,
        found.node or "(unknown)",
        found.place,
        found.line,
    )


def find_blocked_node(loop: asyncio.AbstractEventLoop, thread: int) -> BlockedNode | None:
    """Return where the thread of a loop is now; None where it is in nobody's graph."""
    frames = list(_frames(thread))
    users = next((frame for frame in frames if _is_users(frame.f_code.co_filename)), None)
    if users is None:
        return None
    code = users.f_code
    number: int | None = users.f_lineno  # not every instruction is of a line
    number = number or code.co_firstlineno
    line = linecache.getline(code.co_filename, number).strip()[:_LONGEST_LINE]
    node, graph = next(filter(None, map(_task_of, [*frames, *_waiting_frames(loop)])), ("", ""))
    return BlockedNode(f"{code.co_filename}:{number} in {code.co_name}", line, node, graph)


def _frames(thread: int) -> Iterator[FrameType]:
    """Yield a thread's frames, innermost first."""
    frame = sys._current_frames().get(thread)  # noqa: SLF001 - the documented way
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def _waiting_frames(loop: asyncio.AbstractEventLoop) -> Iterator[FrameType]:
    """Yield the frames of the tasks that wait for the running one: the library runs each node as a task."""
    task = asyncio.current_task(loop)
    for _ in range(_MOST_TASKS):
        waiting = (each for each in asyncio.all_tasks(loop) if getattr(each, "_fut_waiter", None) is task)
        task = next(waiting, None) if task else None
        coroutine = task.get_coro() if task else None
        for _ in range(_MOST_FRAMES):
            if (frame := getattr(coroutine, "cr_frame", None)) is not None:
                yield frame
            coroutine = getattr(coroutine, "cr_await", None)


def _is_users(file: str) -> bool:
    return not file.startswith(("<", *_OURS, *_LIBRARIES))


def _task_of(frame: FrameType) -> tuple[str, str] | None:
    """Return the node and graph of the library's frame that runs a node."""
    if frame.f_code.co_name not in ("arun_with_retry", "run_with_retry"):
        return None
    task = frame.f_locals.get("task")
    name, config = getattr(task, "name", ""), getattr(task, "config", None)
    metadata = config.get("metadata", {}) if isinstance(config, dict) else {}
    return str(name), str(metadata.get("graph_id", ""))
