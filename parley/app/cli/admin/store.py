"""`parley store copy FROM TO`: everything of one store into another."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from parley.app.cli.load_config import load_config
from parley.app.cli.progress import Progress
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import DEFAULT_FILE, LoadedSettings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.settings.parsing.variables import expand_variables
from parley.app.settings.schema.store import StoreSection
from parley.app.storage.store import describe_store, open_copy_endpoint
from parley.core.model.errors import ConfigError
from parley.store.store_copy import CopyCounts, copy_store


def run(arguments: argparse.Namespace) -> int:
    """Copy and print how much. Nothing is kept when a store is in use, or when the target is not empty."""
    loaded = load_config(arguments.config, arguments.verbose)
    beside = (Path.cwd() / (arguments.config or DEFAULT_FILE)).parent / ".env"
    environ = with_dotenv(os.environ, beside)
    source, target = (_with(loaded, address, environ) for address in (arguments.source, arguments.target))
    if source.settings.store == target.settings.store:
        raise ConfigError("FROM and TO are the same store.")
    progress = Progress(time.monotonic, lambda line: print(line, file=sys.stderr, flush=True))
    print(f"From {describe_store(source)} to {describe_store(target)} ...", flush=True)
    print(f"Copied: {run_loop(_copy(source, target, progress))}.")
    print("Row counts match. The old store is unchanged; now set store.url to the new one.")
    return 0


async def _copy(source: LoadedSettings, target: LoadedSettings, progress: Progress) -> CopyCounts:
    async with open_copy_endpoint(source, new=False) as one, open_copy_endpoint(target, new=True) as other:
        return await copy_store(one, other, progress)


def _with(loaded: LoadedSettings, address: str, environ: dict[str, str]) -> LoadedSettings:
    """Return the settings, had they named this store. Raises ConfigError."""
    expansion = expand_variables({"store": address}, environ)
    for unset in expansion.unset:
        raise ConfigError(f"${unset.name} is not set; write {unset.name}=... in .env")
    try:
        section = StoreSection(url=str(expansion.tree["store"]))
    except ValidationError as error:
        raise ConfigError(
            "FROM and TO are sqlite (the file in the data folder), sqlite:///FILE or postgresql://..."
        ) from error
    return replace(loaded, settings=loaded.settings.model_copy(update={"store": section}))
