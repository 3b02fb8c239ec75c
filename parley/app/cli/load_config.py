"""What every command begins with: settings out of the file, the environment and `.env`."""

from __future__ import annotations

import os
from pathlib import Path

from parley.app.backup.swap import read_pending_swap
from parley.app.process import logs
from parley.app.settings.load import DEFAULT_FILE, LoadedSettings, load_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.core.model.errors import ParleyError


def load_config(
    config: Path | None, verbose: bool, level: str = "", *, restoring: bool = False
) -> LoadedSettings:
    """Load settings and set up the log for them; `level`, where given, is used instead of theirs.

    `.env` stands beside the configuration file. Raises ConfigError; and ParleyError where a restore of the
    data was interrupted in the middle, unless the caller is `restoring`.
    """
    here = Path.cwd()
    environ = with_dotenv(os.environ, (here / (config or DEFAULT_FILE)).parent / ".env")
    loaded = load_settings(config, environ, here)
    chosen = "debug" if verbose else level or loaded.settings.log_level
    logs.configure_logging(chosen, logs.find_secrets(loaded.settings))
    if not restoring and (swap := read_pending_swap(loaded.data_dir)):
        raise ParleyError(
            f"A restore into {loaded.data_dir} was interrupted: finish it with "
            f"`parley restore {swap.source}`."
        )
    return loaded
