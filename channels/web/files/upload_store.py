"""Store of uploaded files and reply files in a folder of ours, with a document for each."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from parley.channels.kit.files import file_gone, file_too_large
from parley.channels.web.documents import read_document
from parley.channels.web.files.blob_copies import BlobCopies
from parley.channels.web.files.file_ref import FileRef, kind_of, mime_of
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import ChannelUnavailable
from parley.core.ports.journal import Document, DocumentRepository, iter_documents, update_document

_PREFIX = "web/file/"
_UNUSED_FOR = 86_400.0


@dataclass(frozen=True, slots=True)
class _Shelved:
    file: FileRef
    at: float
    used: bool


_SHELVED: TypeAdapter[_Shelved] = TypeAdapter(_Shelved)


class UploadStore:
    """Files by id. Methods that touch documents raise StoreUnavailable."""

    def __init__(
        self, documents: DocumentRepository, folder: Path, clock: Callable[[], float], *, shared: bool = False
    ) -> None:
        """What is `shared` with other nodes is in the store too: they have folders of their own."""
        self._documents = documents
        self._copies = BlobCopies(documents, kept=shared)
        self._folder = folder / "files"
        self._clock = clock

    def draft(self, file_id: str) -> Path:
        """Return where the bytes of a file that is still arriving go, each time elsewhere: the same file may
        be sent twice at once. The folder is there.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{file_id}.{secrets.token_hex(4)}.part"

    def path(self, file_id: str) -> Path:
        """Return where the bytes of a kept file are."""
        return self._folder / file_id

    async def get(self, file_id: str) -> FileRef | None:
        """Return what is known of a file, or None."""
        document = await self._documents.get(_PREFIX + file_id)
        shelved = read_document(_SHELVED, document) if document.version else None
        return shelved.file if shelved else None

    async def ensure_local(self, file_id: str) -> Path:
        """Return where a known file's bytes are, brought here first where another node took it in.

        Nothing is there when they are lost. Raises OSError.
        """
        path = self.path(file_id)
        if not await asyncio.to_thread(path.is_file):
            draft = self.draft(file_id)
            if await self._copies.fetch_to_disk(file_id, draft):
                await asyncio.to_thread(_settle, draft, path)
        return path

    async def commit_upload(self, file_id: str, draft: Path, name: str, declared: str) -> FileRef:
        """Make a draft a kept file, on disk when this returns; one that was kept meanwhile stays."""
        known, path = await self.get(file_id), self.path(file_id)
        if known is not None:
            await asyncio.to_thread(draft.unlink, missing_ok=True)
            return known
        size = await asyncio.to_thread(_settle, draft, path)
        await self._copies.put(file_id, path)
        mime = mime_of(name, declared)
        file = FileRef(file_id, name, mime, size, kind_of(mime))
        return await self._write_first(_Shelved(file, self._clock(), used=False))

    async def attach(self, ids: Sequence[str]) -> tuple[FileRef, ...] | None:
        """Return the files a message carries, kept from now on with it; None when one is not there."""
        found = [await self._documents.get(_PREFIX + file_id) for file_id in ids]
        if not all(document.version for document in found):
            return None
        shelved = [one for document in found if (one := read_document(_SHELVED, document))]
        if len(shelved) < len(found):
            return None
        for one in shelved:
            if not one.used:
                await self._write(replace(one, used=True))
        return tuple(one.file for one in shelved)

    async def store_reply_files(self, turn_id: str, files: Sequence[StoredFile]) -> tuple[FileRef, ...]:
        """Copy a reply's files; the same turn gives the same ids. Raises ChannelUnavailable."""
        taken: list[FileRef] = []
        for number, file in enumerate(files):
            digest = hashlib.sha256(f"{turn_id}:{number}".encode()).hexdigest()[:24]
            ref = FileRef(f"reply-{digest}", file.name, file.mime, file.size, file.kind)
            draft, path = self.draft(ref.id), self.path(ref.id)
            try:
                await asyncio.to_thread(shutil.copyfile, file.path, draft)
                size = await asyncio.to_thread(_settle, draft, path)
                await self._copies.put(ref.id, path)
            except OSError as problem:
                raise ChannelUnavailable("A file of the reply could not be stored.") from problem
            ref = replace(ref, size=size)
            await self._write(_Shelved(ref, self._clock(), used=True))
            taken.append(ref)
        return tuple(taken)

    async def copy(self, file_id: str, into: Path, limit: int) -> int:
        """Copy a file's bytes and return their number. Raises AttachmentRefused."""
        try:
            return await asyncio.to_thread(_copy, await self.ensure_local(file_id), into, limit)
        except FileNotFoundError as problem:
            raise file_gone() from problem
        except OSError as problem:
            raise ChannelUnavailable("This file could not be read.") from problem

    async def drop(self, file_id: str) -> None:
        """Remove a file; absent is no error."""
        await self._documents.delete(_PREFIX + file_id)
        await self._copies.drop(file_id)
        await asyncio.to_thread(self.path(file_id).unlink, missing_ok=True)

    async def discard(self, file_id: str) -> None:
        """Remove a file that no message carries yet; one that is carried stays."""
        document = await self._documents.get(_PREFIX + file_id)
        shelved = read_document(_SHELVED, document) if document.version else None
        if shelved and not shelved.used:
            await self.drop(file_id)

    async def all(self) -> tuple[FileRef, ...]:
        """Return every file."""
        found = iter_documents(self._documents, _PREFIX)
        return tuple(
            [shelved.file async for document in found if (shelved := read_document(_SHELVED, document))]
        )

    async def sweep(self) -> None:
        """Remove uploads that were never sent, a day after they came."""
        oldest = self._clock() - _UNUSED_FOR
        async for document in iter_documents(self._documents, _PREFIX):
            shelved = read_document(_SHELVED, document)
            if shelved and not shelved.used and shelved.at < oldest:
                await self.drop(shelved.file.id)
        await asyncio.to_thread(_remove_drafts, self._folder, oldest)
        await self._forget_strays()

    async def _forget_strays(self) -> None:
        """Remove what another node dropped."""
        for path in await asyncio.to_thread(_files, self._folder) if self._copies.kept else ():
            if await self.get(path.name) is None:
                await asyncio.to_thread(path.unlink, missing_ok=True)

    async def _write(self, shelved: _Shelved) -> None:
        body = _SHELVED.dump_json(shelved).decode()
        await update_document(self._documents, _PREFIX + shelved.file.id, lambda _: (None, body))

    async def _write_first(self, shelved: _Shelved) -> FileRef:
        """Return the file of this id that was written first."""

        def change(document: Document) -> tuple[FileRef, str | None]:
            known = read_document(_SHELVED, document) if document.version else None
            return (known.file, None) if known else (shelved.file, _SHELVED.dump_json(shelved).decode())

        return await update_document(self._documents, _PREFIX + shelved.file.id, change)


def clean_name(name: str) -> str:
    """Return a name fit for people and headers: no folders, no control characters, at most 150 characters."""
    bare = re.sub(r"[\x00-\x1f\x7f]", "", re.split(r"[\\/]", name)[-1]).strip()
    if len(bare) > 150:
        stem, suffix = Path(bare).stem, Path(bare).suffix[:20]
        bare = stem[: 150 - len(suffix)] + suffix
    return bare or "file"


def _settle(draft: Path, path: Path) -> int:
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    size = draft.stat().st_size
    draft.replace(path)
    return size


def _copy(path: Path, into: Path, limit: int) -> int:
    size = path.stat().st_size
    if size > limit:
        raise file_too_large(limit)
    shutil.copyfile(path, into)
    return size


def _remove_drafts(folder: Path, oldest: float) -> None:
    for draft in folder.glob("*.part"):
        if draft.stat().st_mtime < oldest:
            draft.unlink(missing_ok=True)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*") if path.suffix != ".part"]
