"""Whether a command of the documents exists as it is written there: its program, words and options."""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from parley.app.cli.main import parser
from tests.kit.checkout import ROOT
from tests.suites.definitions import SUITES

FOREIGN = {
    "curl": "another program's",
    "python3": "another program's",
    "docker": "another program's",
    "helm": "another program's",
    "openssl": "another program's",
    "pg_dump": "another program's",
    "pg_restore": "another program's",
    "pip": "another program's",
    "cp": "another program's",
    "install": "another program's",
    "systemctl": "another program's",
    "systemd-analyze": "another program's",
    "useradd": "another program's",
    "uv": "another program's",
    "uvx": "another program's",
    "pipx": "another program's",
    "git": "another program's",
    "sqlite3": "another program's",
}
"""Programs that are not ours: whether they know an option is seen when they are run."""

_TARGET = re.compile(r"^([a-z-]+):.*## ", re.MULTILINE)
_VARIABLE = re.compile(r"(\w+)=(.*)", re.DOTALL)
_PLACEHOLDER = re.compile(r"[A-Z:=_]+")
_MAKE_VARIABLES = {"ARGS", "EDITION", "PYTHON", "VENV"}
_PYTEST_OPTIONS = {"-k", "-m", "-x", "-q", "--engine", "--edition"}


def wrong(command: str) -> list[str]:
    """Return what is wrong with a command line; nothing when it exists as it is written."""
    words = shlex.split(command.rpartition("|")[2] if command.startswith("echo ") else command)
    while words and _VARIABLE.fullmatch(words[0]):
        words.pop(0)
    program, arguments = words[0].rpartition("/")[2], words[1:]
    if words[0].endswith(".ci/run") or program in {"bash", "sh"}:
        return [f"no file {each}" for each in arguments[:1] if not (ROOT / each).is_file()]
    if program in FOREIGN:
        return []
    return list(_PROGRAMS[program](arguments)) if program in _PROGRAMS else [f"unknown program {program}"]


def is_whole(command: str) -> bool:
    """Tell whether a command is all that one types: a sentence may only name it, or leave a place open."""
    words = shlex.split(command)
    if words[0].rpartition("/")[2] != "parley" or words[1:] in ([], ["--help"]):
        return True
    if any(_PLACEHOLDER.fullmatch(word) for word in words):
        return False
    known = _subparsers().get(words[1])
    if known is None or "--help" in words:
        return True
    needed = [each for each in known._actions if not each.option_strings and each.nargs not in {"*", "?"}]
    return len(words) - 2 >= len(needed)


def _parley(arguments: Sequence[str]) -> Iterator[str]:
    if not arguments or arguments == ["--help"]:
        return
    commands = _subparsers()
    if arguments[0] not in commands:
        yield f"parley has no command {arguments[0]}"
        return
    yield from _fits(commands[arguments[0]], arguments[1:])


@cache
def _subparsers() -> dict[str, argparse.ArgumentParser]:
    (action,) = [each for each in parser()._actions if isinstance(each, argparse._SubParsersAction)]
    for command in action.choices.values():
        command.complete()
    return dict(action.choices)


def _fits(known: argparse.ArgumentParser, words: Sequence[str]) -> Iterator[str]:
    """Look at words that may end early, as where a sentence names a command without its arguments."""
    places = [each for each in known._actions if not each.option_strings]
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word.startswith("-"):
            action = known._option_string_actions.get(word.partition("=")[0])
            if action is None:
                yield f"{known.prog} has no option {word}"
            elif action.nargs != 0 and "=" not in word and waiting:
                waiting.pop(0)
        elif not places:
            yield f"{known.prog} takes no {word}"
        else:
            place = places[0] if places[0].nargs in {"*", "+"} else places.pop(0)
            if place.choices and word not in place.choices and not _PLACEHOLDER.fullmatch(word):
                yield f"{known.prog}: {word} is none of {', '.join(place.choices)}"


def _make(arguments: Sequence[str]) -> Iterator[str]:
    targets = set(_TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
    asked = [word for word in arguments if "=" not in word]
    yield from (f"make has no target {word}" for word in asked if word not in targets)
    for word in arguments:
        variable = _VARIABLE.fullmatch(word)
        if variable and variable[1] not in _MAKE_VARIABLES:
            yield f"make knows no {variable[1]}"
        elif variable and variable[1] == "ARGS":
            yield from _arguments_of(asked[0], shlex.split(variable[2]))


def _arguments_of(target: str, arguments: list[str]) -> Iterator[str]:
    """Look at the `ARGS` of a target."""
    if target in {"run", "chat", "check"}:
        yield from _parley([target, *arguments])
    elif target in {"chaos", "chaos-nodes"}:
        from tests.chaos.planning.options import read

        yield from _refused(lambda: read([{"chaos": "sqlite"}.get(target, "nodes"), *arguments], {}))
    elif target == "chaos-memory":
        from tests.chaos.memory.__main__ import read_arguments as read_memory_arguments

        yield from _refused(lambda: read_memory_arguments(arguments))
    elif target == "bench":
        from benchmarks.__main__ import BENCHMARKS, NAMED

        options = {"--quick", "--write", "--json"}
        names = [word for word in arguments if "/" not in word and "." not in word]
        yield from (f"make bench: {word}" for word in names if word not in {*BENCHMARKS, *NAMED, *options})
    elif target == "recall":
        from benchmarks.recall.__main__ import read_arguments

        yield from _refused(lambda: read_arguments(arguments))
    elif target in SUITES:
        yield from _pytest(arguments)
    else:
        yield f"make {target} takes no ARGS"


def _refused(read: Callable[[], object]) -> Iterator[str]:
    try:
        read()
    except SystemExit:
        yield "its arguments are refused"


def _pytest(arguments: Sequence[str]) -> Iterator[str]:
    for word in arguments:
        if word.startswith("-") and word not in _PYTEST_OPTIONS:
            yield f"pytest: {word} is not known to be an option"
        elif word.startswith("tests/") and not (ROOT / word).exists():
            yield f"pytest: no {word}"


def _python(arguments: Sequence[str]) -> Iterator[str]:
    if arguments[:1] != ["-m"] or len(arguments) < 2:
        yield f"python is called otherwise than with -m: {shlex.join(arguments)}"
    elif arguments[1] != "pip" and importlib.util.find_spec(arguments[1]) is None:
        yield f"no module {arguments[1]}"


_PROGRAMS: dict[str, Callable[[Sequence[str]], Iterator[str]]] = {
    "make": _make,
    "parley": _parley,
    "pytest": _pytest,
    "python": _python,
}
