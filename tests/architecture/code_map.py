"""Layers and folders in docs/architecture.md: `python -m tests.architecture.code_map` writes them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.kit.checkout import ROOT, parsed

DOCUMENT = ROOT / "docs" / "architecture.md"
TOPS = ("parley", "channels", "memory")
DEPTH = 2
_LAYERS = re.compile(r"(?<=\| package \| layers inside, top first \|\n\|---\|---\|\n)(?:\|.*\n)+")
_FOLDERS = re.compile(r"(?<=```text\n)parley/ .*?(?=```)", re.DOTALL)
_WIDTH = 22
_NAMES = {"DingTalk", "Feishu", "HTTP", "Slack", "Telegram"}
"""First words that keep their capital letter."""


def render(text: str) -> str:
    """Return the document with the layers and folders that there are."""
    text = _LAYERS.sub(lambda _: "".join(f"{line}\n" for line in layers()), text)
    return _FOLDERS.sub(lambda _: "".join(f"{line}\n" for line in folders()), text)


def layers() -> Iterator[str]:
    """Yield a row for each import contract of a whole package."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    for contract in tools["importlinter"]["contracts"]:
        packages = contract.get("containers", [])
        if contract["type"] == "layers" and all(package.count(".") == 1 for package in packages):
            ordered = " > ".join(re.sub(r" [|:] ", ", ", layer) for layer in contract["layers"])
            yield from (f"| `{package}` | {ordered} |" for package in packages)


def folders() -> Iterator[str]:
    """Yield a line for each folder: its name and the first sentence of its docstring."""
    for top in TOPS:
        yield from _folder(ROOT / top, 0)


def _folder(path: Path, depth: int) -> Iterator[str]:
    yield f"{'  ' * depth + path.name + '/':<{_WIDTH}}{_sentence(path, first=depth == 0)}"
    if depth < DEPTH:
        for inner in sorted(path.iterdir()):
            if (inner / "__init__.py").exists() and not inner.is_symlink():
                yield from _folder(inner, depth + 1)


def _sentence(path: Path, *, first: bool) -> str:
    text = (ast.get_docstring(parsed(path / "__init__.py")) or "").split("\n\n")[0]
    text = " ".join(text.split()).removesuffix(".")
    keeps = first or re.split(r"\W", text)[0] in _NAMES
    return text if keeps else text[:1].lower() + text[1:]


if __name__ == "__main__":
    DOCUMENT.write_text(render(DOCUMENT.read_text("utf-8")), "utf-8")
