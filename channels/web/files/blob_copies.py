"""The bytes of the page's files in the store, for nodes whose folders have not seen them."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import DocumentRepository

_PIECE = 300_000
"""Bytes of one document: small enough to be written and read between other things."""


class BlobCopies:
    """Copies by file, which are made where `kept`. Every method raises StoreUnavailable, OSError."""

    def __init__(self, documents: DocumentRepository, *, kept: bool) -> None:
        self._documents = documents
        self.kept = kept

    async def put(self, file_id: str, path: Path) -> None:
        """Copy a file, once more where it was broken off."""
        if not self.kept:
            return
        with await asyncio.to_thread(path.open, "rb") as file:
            number, piece = 0, await asyncio.to_thread(file.read, _PIECE)
            while piece or not number:  # an empty file has one piece, too
                known = await self._documents.get(_key(file_id, number))
                with suppress(DocumentConflict):  # the same, from a try that was given up
                    await self._documents.set(replace(known, body=b64encode(piece).decode()))
                number, piece = number + 1, await asyncio.to_thread(file.read, _PIECE)

    async def fetch_to_disk(self, file_id: str, into: Path) -> bool:
        """Write a copy to `into`; False, and nothing is written, where there is none."""
        pieces = self._pieces(file_id)
        first = await anext(pieces, None)
        if first is None:
            return False
        with await asyncio.to_thread(into.open, "wb") as file:
            await asyncio.to_thread(file.write, first)
            async for piece in pieces:
                await asyncio.to_thread(file.write, piece)
        return True

    async def drop(self, file_id: str) -> None:
        """Forget a copy."""
        number = 0
        while (await self._documents.get(key := _key(file_id, number))).version:
            await self._documents.delete(key)
            number += 1

    async def _pieces(self, file_id: str) -> AsyncIterator[bytes]:
        number = 0
        while (piece := await self._documents.get(_key(file_id, number))).version:
            yield b64decode(piece.body)
            number += 1


def _key(file_id: str, number: int) -> str:
    return f"web/bytes/{file_id}/{number:06d}"
