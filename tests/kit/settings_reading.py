"""Reading configurations in tests."""

from pathlib import Path
from textwrap import dedent

from parley.app.settings.load import LoadedSettings, read_settings
from parley.core.model.errors import ConfigError


def settings(text: str, **environ: str) -> LoadedSettings:
    """The settings of `text`."""
    return read_settings(dedent(text), "config.yaml", environ, Path("/home/ada"))


def mistakes(text: str, **environ: str) -> list[str]:
    """The lines of what is wrong with `text`."""
    try:
        settings(text, **environ)
    except ConfigError as error:
        return error.user_text.splitlines()
    return []
