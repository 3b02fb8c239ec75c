"""Files of messages: what comes in, and where its bytes may be fetched from."""

from __future__ import annotations

import html
from collections.abc import Mapping

from yarl import URL

from parley.channels.kit.fields import object_or_empty
from parley.channels.kit.files import kind_of, safe_name
from parley.channels.kit.text import wellformed
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.types import Json

MOST_FILES = 50
MOST_TRANSCRIPT = 20_000
CHECK_FILE_INFO = "check_file_info"
"""What stands in `file_access` of a file of another workspace: files.info has the rest."""
_VOICE_CLIP = "slack_audio"
_NOT_HERE = frozenset({"tombstone", "hidden_by_limit"})
_HOSTS = ("slack.com", "slack-files.com", "slack-gov.com")


def attachments_of(files: Json) -> tuple[Attachment, ...]:
    """Return the files of a message that are still there, in order."""
    entries = files if isinstance(files, list) else []
    found = (_attachment(entry) for entry in entries[:MOST_FILES] if isinstance(entry, Mapping))
    return tuple(each for each in found if each is not None)


def _attachment(entry: Mapping[str, Json]) -> Attachment | None:
    file_id, size = _text(entry, "id"), entry.get("size")
    if not file_id or entry.get("mode") in _NOT_HERE:
        return None
    mime = _text(entry, "mimetype") or "application/octet-stream"
    name = safe_name(_text(entry, "name") or _text(entry, "title"), "file")
    known = size if isinstance(size, int) and size > 0 else 0
    handle = f"{file_id}|{download_url(entry)}"
    if _text(entry, "subtype") != _VOICE_CLIP:
        return Attachment(kind_of(mime, name), name, mime, known, handle)
    # Slack calls some of its voice clips video.
    return Attachment(AttachmentKind.AUDIO, name, mime, known, handle, True, _transcript(entry))


def _transcript(entry: Mapping[str, Json]) -> str:
    """Return what Slack heard in a voice clip, "" where it has not listened to it yet.

    Of a long one it gives the beginning, which ends in a sign that there was more.
    """
    heard = object_or_empty(entry, "transcription")
    if _text(heard, "status") != "complete":
        return ""
    preview = object_or_empty(heard, "preview")
    words = html.unescape(_text(preview, "content")[:MOST_TRANSCRIPT]).strip()
    return f"{words}…" if words and preview.get("has_more") is True else words


def download_url(entry: Mapping[str, Json]) -> str:
    """Return where Slack says that a file's bytes are, "" when it does not say."""
    return _text(entry, "url_private_download") or _text(entry, "url_private")


def may_fetch(url: str, api_url: str) -> bool:
    """Tell whether the token may be shown there: to Slack's own hosts, and to the one that the API is on."""
    try:
        asked, api = URL(url), URL(api_url)
    except (ValueError, TypeError):
        return False
    if asked.origin() == api.origin() if asked.absolute else False:
        return True
    host = (asked.host or "").lower()
    return asked.scheme == "https" and any(host == own or host.endswith(f".{own}") for own in _HOSTS)


def _text(entry: Mapping[str, Json], key: str) -> str:
    value = entry.get(key)
    return wellformed(value) if isinstance(value, str) else ""
