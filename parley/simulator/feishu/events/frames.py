"""The frames of the long connection: protobuf (proto2), written and read by hand.

Frame: 1 SeqID, 2 LogID, 3 service, 4 method (0 control, 1 data), 5 headers (1 key, 2 value),
6 payload encoding, 7 payload type, 8 payload, 9 LogIDNew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

CONTROL, DATA = 0, 1
_NAMES = {1: "sequence", 2: "log", 3: "service", 4: "method"}


@dataclass
class Frame:
    """One frame."""

    sequence: int = 0
    log: int = 0
    service: int = 0
    method: int = CONTROL
    headers: dict[str, str] = field(default_factory=dict)
    payload: bytes = b""


def encode_frame(frame: Frame) -> bytes:
    """Return a frame as bytes."""
    out = bytearray()
    for number, value in enumerate((frame.sequence, frame.log, frame.service, frame.method), start=1):
        out += _varint(number << 3) + _varint(value)
    for key, text in frame.headers.items():
        out += _bytes(5, _bytes(1, key.encode()) + _bytes(2, text.encode()))
    if frame.payload:
        out += _bytes(8, frame.payload)
    return bytes(out)


def decode_frame(data: bytes) -> Frame:
    """Return the frame that bytes are. Raises ValueError."""
    frame = Frame()
    for number, value in _fields(data):
        if isinstance(value, int):
            if number in _NAMES:
                setattr(frame, _NAMES[number], value)
        elif number == 5:
            header = {key: text for key, text in _fields(value) if isinstance(text, bytes)}
            frame.headers[header[1].decode()] = header[2].decode()
        elif number == 8:
            frame.payload = value
    return frame


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        value, at = _read_varint(data, at)
        if key & 7 == 0:
            yield key >> 3, value
        elif key & 7 == 2 and at + value <= len(data):
            yield key >> 3, data[at : at + value]
            at += value
        else:
            raise ValueError("not a frame")


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise ValueError("not a frame")
