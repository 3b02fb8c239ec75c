"""Archives of skills, right ones and those of somebody who means harm."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

HEAD = "---\nname: {name}\ndescription: {description}\n---\n"
BODY = "# Reports\nSay PLOVER first. Then read references/style.md.\n"


def skill(name: str = "report", description: str = "Write weekly reports.") -> dict[str, bytes]:
    """The files of a skill, in its folder."""
    text = HEAD.format(name=name, description=description) + BODY
    return {f"{name}/SKILL.md": text.encode(), f"{name}/references/style.md": b"Short sentences."}


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write a zip."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, files: Mapping[str, bytes], *more: tarfile.TarInfo) -> Path:
    """Write a tar.gz, with further entries of any kind."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in more:
            archive.addfile(entry)
    return path


def put(root: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files in a folder, as they are."""
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root
