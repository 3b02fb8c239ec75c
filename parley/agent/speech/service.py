"""A service for speech over HTTP: POST audio/transcriptions and audio/speech, as OpenAI has them."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from parley.agent.speech.options import TranscriptionOptions, VoiceOptions
from parley.agent.transport.decoding import UnreadableResponse, read_body, read_json
from parley.core.attachments.audio_files import extension_of, seconds_of
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import SpeechFailed, SpeechTooLong
from parley.core.model.types import Json
from parley.core.model.usage import TokenUsage
from parley.core.network import without_credentials
from parley.core.ports.speech import TOKENS_PER_SECOND, HeardSpeech

log = logging.getLogger(__name__)

_TRIES = 2
_PAUSE = 1.0
_MOST_TEXT = 1_000_000
_MOST_SOUND = 50_000_000
_REFUSED = frozenset({400, 401, 403, 404, 405, 413, 415, 422})
_LINKS = re.compile(r"\[([^\[\]]{1,300})\]\([^()\s]{1,500}\)")
_MARKS = re.compile(r"[*_`#>~|]+")


class OpenAiSpeech:
    """Hears and speaks through one or two such services."""

    def __init__(
        self, http: httpx.AsyncClient, hearing: TranscriptionOptions, speaking: VoiceOptions
    ) -> None:
        self._http = http
        self._hearing = hearing
        self._speaking = speaking

    @property
    def hears(self) -> bool:
        """Return whether there is a service that hears."""
        return bool(self._hearing.url)

    @property
    def speaks(self) -> bool:
        """Return whether there is a service that speaks."""
        return bool(self._speaking.url)

    async def transcribe(self, file: StoredFile) -> HeardSpeech:
        """Return what is said in a file. Raises SpeechTooLong, SpeechFailed."""
        options = self._hearing
        if file.size > options.max_size:
            raise SpeechTooLong(f"{file.size:,} bytes, and transcription.max_size is {options.max_size:,}")
        content = await _read(file)
        seconds = seconds_of(content)
        if options.max_seconds and seconds > options.max_seconds:
            raise SpeechTooLong(
                f"{seconds:.0f} s, and transcription.max_seconds is {options.max_seconds:.0f}"
            )
        name = f"voice.{extension_of(content, file.name)}"
        fields = {"model": options.model, "response_format": "json"}
        if options.language:
            fields["language"] = options.language
        body = await self._post(
            options.url,
            "audio/transcriptions",
            options.api_key,
            options.timeout,
            _MOST_TEXT,
            data=fields,
            files={"file": (name, content, file.mime or "application/octet-stream")},
        )
        try:
            answer = read_json(body)
        except ValueError as error:
            raise SpeechFailed(f"the answer of {without_credentials(options.url)} is no JSON") from error
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            raise SpeechFailed(f"the answer of {without_credentials(options.url)} has no text")
        return HeardSpeech(str(answer["text"]), _usage(options.model, answer, seconds))

    async def speak(self, text: str, folder: Path) -> StoredFile:
        """Return a text as a voice message in `folder`. Raises SpeechTooLong, SpeechFailed."""
        options = self._speaking
        if len(text) > options.max_characters:
            raise SpeechTooLong(
                f"{len(text):,} characters, and speech.max_characters is {options.max_characters:,}"
            )
        fields = {
            "model": options.model,
            "voice": options.voice,
            "input": speakable(text),
            "response_format": "opus",
        }
        sound = await self._post(
            options.url, "audio/speech", options.api_key, options.timeout, _MOST_SOUND, json=fields
        )
        extension = extension_of(sound, "")
        path = folder / f"spoken.{extension}"
        try:
            await asyncio.to_thread(_write, path, sound)
        except OSError as error:
            raise SpeechFailed(f"the voice message cannot be written: {error}") from error
        return StoredFile(
            AttachmentKind.AUDIO,
            f"voice.{extension}",
            f"audio/{extension}",
            len(sound),
            str(path),
            voice=True,
        )

    async def _post(self, url: str, path: str, key: str, timeout: float, most: int, **body: object) -> bytes:
        """Return the answer's bytes; what may go well the next time is tried once more."""
        asked = f"{url.rstrip('/')}/{path}"
        where = without_credentials(asked)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        failure = SpeechFailed(f"{where} gave no answer")
        try:
            async with asyncio.timeout(timeout):
                for attempt in range(_TRIES):
                    try:
                        return await self._ask(asked, headers, most, body)
                    except SpeechFailed as error:
                        failure = error
                        if error.refused or attempt + 1 == _TRIES:
                            raise
                    await asyncio.sleep(_PAUSE)
        except TimeoutError as error:
            raise SpeechFailed(f"{where} took longer than {timeout:.0f} s") from error
        raise failure

    async def _ask(self, url: str, headers: dict[str, str], most: int, body: dict[str, object]) -> bytes:
        where = without_credentials(url)
        try:
            async with self._http.stream("POST", url, headers=headers, **body) as response:  # type: ignore[arg-type]
                answer = await read_body(response.aiter_bytes(), most)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SpeechFailed(f"{where} gave no answer: {error!r}") from error
        except UnreadableResponse as error:
            raise SpeechFailed(f"{where} answered with more than {most:,} bytes", refused=True) from error
        if response.status_code != httpx.codes.OK:
            log.debug("%s answered %d: %r", where, response.status_code, answer[:500])
            refused = response.status_code in _REFUSED
            raise SpeechFailed(f"{where} answered {response.status_code}", refused=refused)
        return answer


@asynccontextmanager
async def open_speech(hearing: TranscriptionOptions, speaking: VoiceOptions) -> AsyncIterator[OpenAiSpeech]:
    """Open the services that the options name."""
    async with httpx.AsyncClient(timeout=httpx.Timeout(None, connect=10.0)) as http:
        yield OpenAiSpeech(http, hearing, speaking)


def speakable(text: str) -> str:
    """Return an answer without marks that a voice would read out."""
    return _MARKS.sub("", _LINKS.sub(r"\1", text))


def _usage(model: str, answer: dict[str, Json], seconds: float) -> TokenUsage | None:
    """Return what it took as the service tells, in tokens or in seconds, else by the file's own length."""
    told = answer.get("usage")
    told = told if isinstance(told, dict) else {}
    read, written = _count(told.get("input_tokens")), _count(told.get("output_tokens"))
    if read or written:
        return TokenUsage(model, read, written)
    length = _count(told.get("seconds")) or _count(answer.get("duration")) or -int(-seconds // 1)
    return TokenUsage(model, length * TOKENS_PER_SECOND, 0) if length else None


def _count(value: Json) -> int:
    plain = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9
    return -int(-value // 1) if plain and isinstance(value, int | float) else 0


async def _read(file: StoredFile) -> bytes:
    try:
        return await asyncio.to_thread(Path(file.path).read_bytes)
    except OSError as error:
        raise SpeechFailed(f"the voice message cannot be read: {error}") from error


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
