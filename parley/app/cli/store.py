"""`parley store copy FROM TO`: everything of one store into another."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from parley.app.cli.configured import configured
from parley.app.cli.progress import Progress
from parley.app.runner import run_loop
from parley.app.settings.environment import with_dotenv
from parley.app.settings.expand import expand
from parley.app.settings.load import DEFAULT_FILE, Loaded
from parley.app.settings.store import StoreSection
from parley.app.store import copy_side, shown
from parley.core.errors import ConfigError
from parley.store.copy import Counts, copy


def run(arguments: argparse.Namespace) -> int:
    """Copy and print how much. Nothing is kept when a store is in use, or when the target is not empty."""
    loaded = configured(arguments.config, arguments.verbose)
    beside = (Path.cwd() / (arguments.config or DEFAULT_FILE)).parent / ".env"
    environ = with_dotenv(os.environ, beside)
    source, target = (_with(loaded, address, environ) for address in (arguments.source, arguments.target))
    if source.settings.store == target.settings.store:
        raise ConfigError("FROM and TO are the same store.")
    progress = Progress(time.monotonic, lambda line: print(line, file=sys.stderr, flush=True))
    print(f"From {shown(source)} to {shown(target)} ...", flush=True)
    print(f"Copied: {run_loop(_copy(source, target, progress))}.")
    print("Counted there: the same. The old store is as it was; now name the new one in store.url.")
    return 0


async def _copy(source: Loaded, target: Loaded, progress: Progress) -> Counts:
    async with copy_side(source, new=False) as one, copy_side(target, new=True) as other:
        return await copy(one, other, progress)


def _with(loaded: Loaded, address: str, environ: dict[str, str]) -> Loaded:
    """The settings, had they named this store. Raises ConfigError."""
    expansion = expand({"store": address}, environ)
    for unset in expansion.unset:
        raise ConfigError(f"${unset.name} is not set; write {unset.name}=... in .env")
    try:
        section = StoreSection(url=str(expansion.tree["store"]))
    except ValidationError as error:
        raise ConfigError(
            "FROM and TO are sqlite (the file in the data folder), sqlite:///FILE or postgresql://..."
        ) from error
    return replace(loaded, settings=loaded.settings.model_copy(update={"store": section}))
