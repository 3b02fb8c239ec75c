"""Telling a command from talk: `/new` is one, `/etc/hosts` and unknown words are not."""

import re
from difflib import get_close_matches

COMMAND_NAMES = (
    "new",
    "stop",
    "retry",
    "busy",
    "status",
    "models",
    "agents",
    "usage",
    "memory",
    "link",
    "unlink",
    "language",
    "pair",
    "whoami",
    "help",
)
_COMMAND = re.compile(r"\s*/([A-Za-z_]+)(?:\s+(.*))?\s*$", re.DOTALL)


def parse_command(text: str) -> tuple[str, str] | None:
    """Return the command's name in lower case and the rest of the line, or None where the text is talk.

    A single unknown word that is nearly a command counts as one, so that its writer can be told.
    """
    match = _COMMAND.match(text)
    if match is None:
        return None
    name, rest = match[1].lower(), (match[2] or "").strip()
    if name in COMMAND_NAMES:
        return name, rest
    return (name, rest) if not rest and nearest_command(name) else None


def is_command(text: str) -> bool:
    """Return whether `text` is answered by Parley itself."""
    return parse_command(text) is not None


def nearest_command(name: str) -> str:
    """Return the command that `name` was probably meant to be, or ""."""
    return next(iter(get_close_matches(name, COMMAND_NAMES, n=1, cutoff=0.75)), "")
