"""The SDK's frames of the long connection, without the SDK.

`import lark_oapi` loads eleven thousand modules: eight seconds on a cold disk and 160 MB. Its frame codec is
a small leaf of that. So empty packages stand in for its parents while the leaf is loaded, and are taken away
again: whoever imports the SDK in full later gets all of it.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from parley.core.model.errors import ConfigError
from parley.core.model.types import Json, JsonObject

SUPPORTED_SDK = "1.7"
"""The SDK's versions whose insides were looked at."""
CONTROL, DATA = 0, 1
_SDK = "lark_oapi"
_PARENTS = {_SDK: "", f"{_SDK}.ws": "ws"}
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class DecodedFrame:
    """A frame that was read; `frame` is the SDK's own, to be answered with."""

    method: int
    headers: dict[str, str]
    payload: bytes
    frame: Any


def read(data: bytes) -> DecodedFrame:
    """Return a frame from bytes. Raises ValueError for anything else."""
    codec = _codec()
    frame = codec.Frame()
    try:
        frame.ParseFromString(data)
        headers = {header.key: header.value for header in frame.headers}
        return DecodedFrame(frame.method, headers, frame.payload, frame)
    except (codec.DecodeError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"no frame: {type(error).__name__}") from error


def ping(service: int) -> bytes:
    """Return the sign of life that Feishu wants from us."""
    frame = _codec().Frame()
    frame.SeqID = frame.LogID = 0
    frame.service, frame.method = service, CONTROL
    _add_header(frame, "type", "ping")
    return _bytes(frame)


def ack(packet: DecodedFrame, code: int, took: float, answer: JsonObject) -> bytes:
    """Return the answer to an event after `took` seconds: 200 is done, 500 asks for it to be delivered again.

    `answer` is what a press of a button is answered with; empty for nothing.
    """
    frame = packet.frame
    _add_header(frame, "biz_rt", str(round(took * 1000)))
    payload: dict[str, Json] = {"code": code}
    if answer:
        payload["data"] = base64.b64encode(json.dumps(answer, ensure_ascii=False).encode()).decode()
    frame.payload = json.dumps(payload).encode()
    return _bytes(frame)


def _add_header(frame: Any, key: str, value: str) -> None:  # noqa: ANN401 - the SDK's class is made at run time
    header = frame.headers.add()
    header.key, header.value = key, value


def _bytes(frame: Any) -> bytes:  # noqa: ANN401
    written: bytes = frame.SerializeToString()
    return written


@dataclass(frozen=True)
class FrameCodec:
    """What is taken from the SDK."""

    Frame: Any
    DecodeError: type[Exception]


def check() -> None:
    """Load the codec, if it is not yet. Raises ConfigError when there is none that we know."""
    _codec()


@cache
def _codec() -> FrameCodec:
    spec = importlib.util.find_spec(_SDK)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"channels.feishu: install lark-oapi {SUPPORTED_SDK}.*")
    return load(Path(spec.submodule_search_locations[0]))


def load(root: Path) -> FrameCodec:
    """Load the codec of the SDK in the folder `root`. Raises ConfigError when it is not there."""
    try:
        with _loading, _slim(root):
            frames = importlib.import_module(f"{_SDK}.ws.pb.pbbp2_pb2")
            messages = importlib.import_module(f"{_SDK}.ws.pb.google.protobuf.message")
        return FrameCodec(frames.Frame, messages.DecodeError)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"channels.feishu: this lark-oapi is not built like {SUPPORTED_SDK}.*, which Parley knows "
            f"({error}); install lark-oapi {SUPPORTED_SDK}.*"
        ) from error


@contextmanager
def _slim(root: Path) -> Iterator[None]:
    """Put empty parent packages where the SDK is not there in full already."""
    stood_in = []
    for name, folder in _PARENTS.items():
        if name not in sys.modules:
            module = ModuleType(name)
            module.__path__ = [str(root / folder)]
            sys.modules[name] = module
            stood_in.append(name)
    try:
        yield
    finally:
        for name in stood_in:
            del sys.modules[name]
