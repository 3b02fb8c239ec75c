"""A record without secrets, names, words and ids. What is not known as harmless is replaced.

Kept are: names of fields and words of kinds that the platform's vocabulary has, codes and small numbers of
fields that measure something, true, false and null. Everything else is replaced by its shape.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from parley.app.live.vocabulary import Vocabulary
from parley.core.model.types import Json

_KIND_FIELDS = (
    "kind method encoding type subtype tag msg_type msgKey msgtype topic message_type event_type chat_type"
    " channel_type conversationType status error code errcode errorcode warning style schema mimetype"
    " mime_type content-type contentType specVersion receive_id_type session_status file_access description"
    " msg errmsg element_id parse_mode action tab response_type mode reason scope upload_type file_type"
)
_KINDS = frozenset(_KIND_FIELDS.split())
"""Fields whose texts stay where they are words of the platform."""
_CODES = frozenset(("code", "error_code", "errcode", "errorcode", "status", "StatusCode"))
_MEASURE_FIELDS = (
    "retry_after retry-after Retry-After length width height size file_size fileSize duration wait expire"
    " expires_in expireIn timeout limit position num_connections at wanted came format count method"
    " PingInterval ReconnectCount ReconnectInterval ReconnectNonce x-ogw-ratelimit-limit"
    " x-ogw-ratelimit-reset retry_attempt upload_size pending_update_count approximate_connection_time"
)
_MEASURES = frozenset(_MEASURE_FIELDS.split())
_MEDIA = frozenset(
    ("application/json", "application/octet-stream", "text/html", "text/plain", "text/event-stream")
)
METHODS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"))
_MOST_CODE, _FEISHU_CODES = 1_000_000, range(99_990_000, 100_000_000)
_MOST_MEASURE = 100_000
_MOST_DEPTH = 40
_LONGEST_ID = 128
MOST_UNKNOWN = 50


class Cleaner:
    """Cleans the records of one recording: an id has the same placeholder wherever it stands.

    `unknown` collects names of fields that the vocabulary lacks, for the operator's eyes only.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._ids: dict[str, str] = {}
        self._numbers: dict[int, int] = {}
        self._names: dict[str, str] = {}

    @property
    def unknown(self) -> tuple[tuple[str, str], ...]:
        """Return what stands for the names of fields that were not known, and these."""
        return tuple((placeholder, name) for name, placeholder in self._names.items())[:MOST_UNKNOWN]

    def clean(self, value: Json, field: str = "", depth: int = 0) -> Json:
        """Return a value of the same shape that tells nobody who or what."""
        if depth > _MOST_DEPTH:
            return None
        if isinstance(value, dict):
            return {self._name(name): self.clean(each, name, depth + 1) for name, each in value.items()}
        if isinstance(value, list):
            return [self.clean(each, field, depth + 1) for each in value]
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, float):
            return round(value, 1) if field in _MEASURES and 0 <= value < _MOST_MEASURE else 0.5
        return self._number(value, field) if isinstance(value, int) else self._text(value, field, depth)

    def path(self, url: str) -> str:
        """Return the path of an address: the parts that are words of the platform, `*` for others."""
        parts = urlsplit(url).path.split("/")
        return "/".join(part if not part or part in self._vocabulary.segments else "*" for part in parts)

    def _name(self, name: str) -> str:
        if name in self._vocabulary.names or name in _KINDS or name in _MEASURES or name in _CODES:
            return name
        return self._names.setdefault(name, f"~{len(self._names) + 1}")

    def _text(self, text: str, field: str, depth: int) -> str:
        if not text or (field in _KINDS and text in self._vocabulary.words):
            return text
        if text[:1] in "{[" and (inner := decoded_json(text)) is not None:
            return json.dumps(self.clean(inner, field, depth + 1), ensure_ascii=False)
        if field in _MEASURES and text.isascii() and text.isdigit() and len(text) < len(str(_MOST_MEASURE)):
            return text
        if field == "content-type" and (kind := text.partition(";")[0].strip().lower()) in _MEDIA:
            return kind
        is_id = len(text) <= _LONGEST_ID and any(map(str.isdigit, text)) and not any(map(str.isspace, text))
        return self._ids.setdefault(text, f"{shape(text)}#{len(self._ids) + 1}") if is_id else shape(text)

    def _number(self, value: int, field: str) -> int:
        code = field in _CODES and (abs(value) < _MOST_CODE or value in _FEISHU_CODES)
        if code or (field in _MEASURES and abs(value) < _MOST_MEASURE) or value in (0, 1):
            return value
        size = 10 ** (len(str(abs(value))) - 1)
        known = self._numbers.setdefault(abs(value), size + len(self._numbers) + 1)
        return known if value > 0 else -known


def shape(text: str) -> str:
    """Return a text of as many signs and bytes: letters are x, digits 0; spaces and ASCII's marks stay."""
    return "".join(map(_sign, text))


def _sign(sign: str) -> str:
    if sign.isascii():
        return "0" if sign.isdigit() else "x" if sign.isalpha() else sign
    return {2: "é", 3: "字"}.get(len(sign.encode("utf-8", "replace")), "🙂")


def decoded_json(text: str) -> Json:
    """Return the object or list that a text holds as JSON, None where it holds none."""
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None
