"""The process that reads people's files, and the services for voice messages."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

from parley.agent.files.reader import FileReader
from parley.app.checks.speech import ask_speech
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.result import CheckResult, from_findings, remarked, succeeded


async def probe_services(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield how well files are read apart, and whether the services for speech answer."""
    context.say("documents: a process that reads nothing")
    since, found = time.monotonic(), await FileReader().protection()
    if found.whole:
        yield succeeded("documents.sandbox", str(found), since)
    else:
        remedy = "use a kernel with Landlock and seccomp (docs/files.md); files are read all the same"
        yield remarked("documents.sandbox", str(found), remedy)
    settings = context.loaded.settings
    if settings.transcription.url or settings.speech.url:
        context.say("speech: half a second of silence, and one word")
        since = time.monotonic()
        for result in from_findings(
            context.loaded, "speech.service", await ask_speech(context.loaded), since
        ):
            yield result
