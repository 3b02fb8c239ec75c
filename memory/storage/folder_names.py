"""Folder names of ids: readable where possible, and unique.

A name is the id itself when that is of lower-case letters, digits, `_` and `-`. Any other id is named by its
letters and a hash: so are those with capitals, which some file systems do not tell from small ones, those
that Windows keeps for devices, and those that look like such a name.
"""

from __future__ import annotations

import re
from hashlib import sha256

_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_-]{0,79}")
_HASHED = re.compile(r".*-[0-9a-f]{16}")
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
_UNSAFE = re.compile(r"[^a-z0-9_-]")
_MOST_READABLE = 60


def folder_name(name: str) -> str:
    """Return the folder name of an id."""
    if _PLAIN.fullmatch(name) and not _HASHED.fullmatch(name) and not _DEVICES.fullmatch(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_UNSAFE.sub('-', name.lower())[:_MOST_READABLE]}-{digest}"


def is_plain(folder: str) -> bool:
    """Return whether a folder's name is the id itself."""
    return folder_name(folder) == folder
