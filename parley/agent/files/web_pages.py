"""Pages and documents on the web as text, for an agent to read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from tempfile import TemporaryFile

from parley.agent.files.reader import FileReader, UnreadableFile
from parley.agent.files.web_address import NotFetched
from parley.agent.files.web_fetch import fetch_public
from parley.core.network import Address, is_public

_MOST_BYTES = 5_000_000
_MOST_TEXT = 30_000
_FAMILIES = ("text/", "application/")


class WebPages:
    """Reads what is at public addresses, as files that people send are read: in a process without rights."""

    def __init__(self, reader: FileReader, allowed: Callable[[Address], bool] = is_public) -> None:
        self._reader, self._allowed = reader, allowed

    async def read(self, url: str) -> tuple[str, bool]:
        """Return the text at an address, and whether there is more. Raises NotFetched."""
        content, _ = await fetch_public(url, _MOST_BYTES, self._allowed, _FAMILIES)
        try:
            with TemporaryFile() as page:  # without a name: nothing is left of it, however the process ends
                await asyncio.to_thread(page.write, content)
                found = await self._reader.read_open(page, _MOST_TEXT, pictures=False)
        except UnreadableFile as error:
            raise NotFetched(f"not read as text: {error.trouble}") from error
        except OSError as error:
            raise NotFetched(f"not kept for reading: {error}") from error
        return found.text, found.cut
