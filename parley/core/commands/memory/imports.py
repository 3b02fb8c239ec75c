"""`/memory import`: memories from a file, or from the lines behind the command."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from parley.core.attachments.download import SkippedAttachment, TurnFiles
from parley.core.commands.context import CommandContext
from parley.core.model.errors import MemoryFailed
from parley.core.ports.memory.controls import ImportProblem, ImportRefused, ImportResult
from parley.core.texts import MemorySentence, Sentence

PROBLEM_SENTENCES = {
    ImportProblem.NOT_JSON: MemorySentence.IMPORT_NOT_JSON,
    ImportProblem.NO_MEMORIES: MemorySentence.IMPORT_NO_MEMORIES,
    ImportProblem.NO_TEXT: MemorySentence.IMPORT_NO_TEXT,
    ImportProblem.TOO_MANY: MemorySentence.IMPORT_TOO_MANY,
    ImportProblem.TOO_LARGE: MemorySentence.IMPORT_TOO_LARGE,
}
"""What people read of a text that cannot be imported."""


async def import_memories(context: CommandContext, person: str, words: str) -> str:
    """Add the memories of the first file that came with the command, or those in `words`."""
    text = words
    if context.message.attachments:
        fetched = await _fetched(context)
        if isinstance(fetched, SkippedAttachment):
            return context.say(MemorySentence.IMPORT_FILE, name=fetched.name, reason=fetched.told)
        text = fetched
    if not text.strip():
        return context.say(MemorySentence.IMPORT_USAGE)
    try:
        return _told(context, await context.services.memory_controls.import_text(person, text))
    except ImportRefused as refused:
        return context.say(PROBLEM_SENTENCES[refused.problem], place=refused.place)


def _told(context: CommandContext, result: ImportResult) -> str:
    lines = [context.say(MemorySentence.IMPORTED, added=result.added, known=result.known)]
    for sentence, count in (
        (MemorySentence.IMPORT_LEFT_OUT, result.left_out),
        (MemorySentence.IMPORT_SHORTENED, result.shortened),
        (Sentence.MEMORY_SECRETS, result.secrets),
    ):
        lines += [context.say(sentence, count=count)] if count else []
    return "\n".join(lines)


async def _fetched(context: CommandContext) -> str | SkippedAttachment:
    """Return the text of the command's first file, or why it could not be had. The file does not stay."""
    services, message = context.services, context.message
    channel = services.channels[message.conversation.channel]
    folder = services.files / f"import-{context.item}"
    files = TurnFiles(channel, folder, services.options.max_file, services.language(message))
    try:
        (found,) = await files.fetch(message.attachments, [0])
        if isinstance(found, SkippedAttachment):
            return found
        return await asyncio.to_thread(_text, Path(found.path))
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise MemoryFailed(f"The file could not be read: {error.strerror}.") from error
