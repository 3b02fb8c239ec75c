"""Nobody else works on the data while it is exchanged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from parley.app.backup.file_copy import make_private
from parley.app.backup.layout import DataLayout
from parley.app.storage.paths import AGENT_DATABASE, DATABASE
from parley.core.model.errors import ConfigError, ParleyError, StoreUnavailable
from parley.server.storage.sqlite.database import exclusive_lock
from parley.store.sqlite.database.file_lock import lock_database


@asynccontextmanager
async def lock_all_data(layout: DataLayout) -> AsyncIterator[None]:
    """Hold what `parley run`, `parley agent` and `parley chat` hold. Raises ParleyError where one runs."""
    databases = [path for path in layout.databases.values() if path.parent.is_dir()]
    async with AsyncExitStack() as stack:
        try:
            make_private(layout.data)
            if layout.store is not None:
                make_private(layout.store.parent)
            for path in {layout.data / DATABASE, layout.store or layout.data / DATABASE, *databases}:
                if path.name == AGENT_DATABASE and path != layout.store:
                    await stack.enter_async_context(exclusive_lock(path))
                else:
                    stack.enter_context(lock_database(path, exclusive=True))
        except (StoreUnavailable, ConfigError) as error:
            raise ParleyError(
                f"A Parley works on this data: stop it first, and then restore. ({error.user_text})"
            ) from error
        except OSError as error:
            raise ParleyError(f"{layout.data}: its locks cannot be taken: {error.strerror}.") from error
        yield
