"""Files that a graph keeps in its state, as deepagents do (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from parley.agent.files.outgoing import EncodedFile
from parley.agent.transport.decoding import string
from parley.core.model.types import Json


def named_files(written: Mapping[str, Json], text: str) -> Iterator[EncodedFile]:
    """Those of the files that the answer names, by path or by name; the others are the agent's own notes.

    A file is a text, or an object with its `content`: a text, lines, or base64 as `encoding` says.
    """
    for path, data in written.items():
        name = path.rstrip("/").rpartition("/")[2]
        if name and (path in text or name in text) and (file := _file(name, data)):
            yield file


def _file(name: str, data: Json) -> EncodedFile | None:
    content, base64 = data, False
    if isinstance(data, dict):
        content = data.get("content")
        base64 = string(data.get("encoding")) == "base64"
    if isinstance(content, list):
        content = "\n".join(map(string, content))
    if not isinstance(content, str):
        return None
    return EncodedFile(name, "", content if base64 else quote(content), base64)
