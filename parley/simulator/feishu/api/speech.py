"""Speech recognition. Methods as in `messages`."""

from __future__ import annotations

import base64
import binascii
import re

from parley.simulator.feishu.api.request import FeishuRequest
from parley.simulator.feishu.errors import invalid, no_scope
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import JsonObject, as_object
from parley.simulator.kit.limits import load_limits

RECOGNIZING = "speech_to_text:speech"
_FILE_ID = re.compile(r"[A-Za-z0-9_]{16}\Z")
_BYTES_A_SECOND = 2 * 16_000
_LIMITS = load_limits("feishu")
_MOST = _LIMITS["speech_seconds"].whole * _BYTES_A_SECOND
_PACE = _LIMITS["speech_calls"].whole


def recognize(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Tell the words of a minute of samples at most: those that the operator wants, none of silence."""
    if RECOGNIZING in world.denied:
        raise no_scope(RECOGNIZING)
    world.check_rate("speech of a tenant", _PACE)
    config = as_object(request.body.get("config"))
    if not _FILE_ID.match(str(config.get("file_id", ""))):
        raise invalid("config.file_id")
    if (config.get("format"), config.get("engine_type")) != ("pcm", "16k_auto"):
        raise invalid("config.format or config.engine_type")
    samples = _samples(as_object(request.body.get("speech")).get("speech"))
    world.recognized.append(samples)
    return {"recognition_text": world.spoken_words if any(samples) else ""}


def _samples(value: object) -> bytes:
    try:
        samples = base64.b64decode(value if isinstance(value, str) else "", validate=True)
    except binascii.Error:
        raise invalid("speech.speech") from None
    if not samples or len(samples) % 2 or len(samples) > _MOST:
        raise invalid("speech.speech")
    return samples
