"""`parley letters`: what was given up, listed, shown, tried again or dropped."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime

from parley.app.cli.clients.dead_letter_client import DeadLetterClient, LetterView
from parley.app.cli.load_config import load_config
from parley.app.process.event_loop import run_loop
from parley.core.model.errors import ConfigError

_ALL = "all"


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says."""
    mailbox = DeadLetterClient(load_config(arguments.config, arguments.verbose, level="warning"))
    run_loop(_ACTIONS[arguments.what](mailbox, arguments))
    return 0


async def _list(mailbox: DeadLetterClient, arguments: argparse.Namespace) -> None:
    widths: list[int] = []
    async for letters in mailbox.pages():
        if arguments.json:
            for each in letters:
                print(each.model_dump_json(exclude={"said", "answer"}))
        elif letters:
            print(*_table(letters, widths), sep="\n")
    if not widths and not arguments.json:
        print("There are no dead letters.")


async def _show(mailbox: DeadLetterClient, arguments: argparse.Namespace) -> None:
    for item in _numbers(arguments.items):
        letter = await mailbox.show(item)
        if arguments.json:
            print(letter.model_dump_json())
            continue
        print(*_table([letter], []), sep="\n")
        for title, text in (("Message", letter.said), ("Answer", letter.answer)):
            print(f"\n{title}:\n{text or '(none)'}")


async def _retry(mailbox: DeadLetterClient, arguments: argparse.Namespace) -> None:
    for item in await _chosen(mailbox, arguments.items):
        runs = await mailbox.retry(item)
        print(f"{item}: tried again {'now' if runs else 'at the next start'}.")


async def _drop(mailbox: DeadLetterClient, arguments: argparse.Namespace) -> None:
    if arguments.items == [_ALL] and not arguments.yes:
        raise ConfigError("parley letters drop all: add --yes; what is dropped cannot be brought back.")
    for item in await _chosen(mailbox, arguments.items):
        await mailbox.drop(item)
        print(f"{item}: dropped.")


async def _chosen(mailbox: DeadLetterClient, items: Sequence[str]) -> Sequence[int]:
    if list(items) == [_ALL]:
        return [each.item async for page in mailbox.pages() for each in page]
    return _numbers(items)


def _numbers(items: Sequence[str]) -> list[int]:
    if not items or not all(item.isdecimal() for item in items):
        raise ConfigError("parley letters: name the numbers that `parley letters list` shows.")
    return [int(item) for item in items]


def _table(letters: Sequence[LetterView], widths: list[int]) -> list[str]:
    """Return the lines of a page. The first page sets the empty `widths`, and has a heading."""
    lines = [] if widths else [("ITEM", "KIND", "ACCEPTED (UTC)", "CONVERSATION", "PERSON", "REASON")]
    for each in letters:
        at = datetime.fromtimestamp(each.at, UTC).strftime("%Y-%m-%d %H:%M")
        person = f"{each.person} ({each.name})" if each.name else each.person or "-"
        lines.append((str(each.item), each.kind, at, each.conversation, person, each.reason))
    widths[:] = widths or [max(len(line[column]) for line in lines) for column in range(5)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[5]])
        for line in lines
    ]


_ACTIONS = {"list": _list, "show": _show, "retry": _retry, "drop": _drop}
