"""The page's server in a process to be killed: `python -m tests.browser.page_server FOLDER PORT`."""

import asyncio
import sys
from pathlib import Path

from parley.channels.web.config import Config
from tests.browser.scripted_core import own_console, running
from tests.kit.doubles.web import FileDocuments


async def main(folder: Path, port: int) -> None:
    documents = FileDocuments(folder / "documents.json")
    async with running(folder, documents, own_console(port), Config()) as (url, _):
        print(url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
