"""A configuration of an earlier version is named, with what has changed since."""

from __future__ import annotations

from parley.app.checks.findings import Findings, problem_at
from parley.app.settings.load import LoadedSettings
from parley.app.settings.schema.model import CONFIG_VERSION
from parley.app.settings.upgrade import changes_since, config_version


def find_old_version(loaded: LoadedSettings) -> Findings:
    """Return a remark about a file that is older than this Parley; it is read all the same."""
    version = config_version(loaded)
    if version >= CONFIG_VERSION:
        return Findings()
    which = f"is {version}" if version else "is missing"
    changed = "".join(f"; {each}" for each in changes_since(loaded))
    text = (
        f"{which}, and this Parley writes {CONFIG_VERSION}{changed}; `parley config upgrade` brings the file "
        "up to date and keeps what it says"
    )
    return Findings(remarks=(problem_at(loaded, ("version",), text),))
