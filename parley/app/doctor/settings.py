"""What `parley check` finds without asking anybody, first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from parley.app.checks.config_version import find_old_version
from parley.app.checks.file_permissions import find_exposed_files
from parley.app.checks.findings import check_settings
from parley.app.checks.page import check_page
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.result import CheckResult, from_findings, succeeded


async def probe_settings(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield what is seen in the settings, the files with secrets, and the page's address."""
    loaded = context.loaded
    context.say(f"settings: {loaded.origin}")
    seen = from_findings(loaded, "settings", check_settings(loaded) + find_old_version(loaded))
    found = [replace(each, text=f"{each.place}: {each.text}" if each.place else each.text) for each in seen]
    for result in found or [succeeded("settings", "no mistakes are seen in them", plain=True)]:
        yield result
    exposed = [*from_findings(loaded, "files", find_exposed_files(loaded))]
    for result in exposed or [succeeded("files", "nobody else reads files with secrets", plain=True)]:
        yield result
    if context.running is not None:
        yield succeeded("page.port", "Parley is running there already", plain=True)
        return
    taken = [*from_findings(loaded, "page.port", check_page(loaded))]
    for result in taken or [succeeded("page.port", "it is free", plain=True)]:
        yield result
