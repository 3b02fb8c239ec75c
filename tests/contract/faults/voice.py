"""Faults with what people say instead of writing."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.types import InboundMessage
from tests.contract.faults.fault import Fault, hearing, saying
from tests.contract.faults.lifecycle import forgetful
from tests.contract.harness.parley_process import Seed


def _as_file(message: InboundMessage) -> InboundMessage:
    return replace(message, attachments=tuple(replace(each, voice=False) for each in message.attachments))


def _without_words(message: InboundMessage) -> InboundMessage:
    files = tuple(replace(each, transcript="") for each in message.attachments)
    return replace(message, attachments=files)


FAULTS = (
    hearing("forget what the platform understood", "what_the_platform_understood_is_taken", _without_words),
    hearing("take a voice message for a file", "a_voice_message_becomes_words", _as_file),
    saying(
        "hide what was heard",
        "a_voice_message_becomes_words",
        lambda text: text.partition("\n\n")[2] or text,
    ),
    Fault("listen again after a crash", "what_was_heard_survives_a_crash", Seed(journal=forgetful)),
)
