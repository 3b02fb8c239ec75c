"""`/memory edit`, and what `/memory add` and `/memory export` have in common with a team's."""

from __future__ import annotations

import asyncio
from pathlib import Path

from parley.core.commands.context import CommandAnswer, CommandContext
from parley.core.commands.memory.lines import fact_lines
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import MemoryFailed
from parley.core.ports.memory.controls import ExportShape
from parley.core.ports.memory.port import FactOrigin
from parley.core.texts import MemorySentence, Sentence


def origin_of(context: CommandContext, speaker: str = "") -> FactOrigin:
    """Return where a command was given."""
    return FactOrigin(context.conversation.key, context.message.link, speaker)


async def edit_fact(context: CommandContext, person: str, words: str) -> str:
    """Give a fact another text: `ID TEXT`."""
    fact_id, _, content = words.partition(" ")
    content = content.strip()
    if not any(map(str.isalnum, content)):
        return context.say(MemorySentence.MORE_USAGE)
    fact = await context.services.memory_controls.edit(person, fact_id.strip("`"), content)
    if fact is None:
        return context.say(MemorySentence.NO_FACT, id=fact_id)
    return "\n".join(
        [context.say(MemorySentence.EDITED), *fact_lines([fact]), *await masked_note(context, content)]
    )


async def keep_fact(context: CommandContext, person: str, words: str) -> str:
    """Take a fact for certain: the person says that it still holds."""
    fact_id = words.strip("` ")
    if not fact_id:
        return context.say(MemorySentence.MORE_USAGE)
    fact = await context.services.memory_controls.keep(person, fact_id)
    if fact is None:
        return context.say(MemorySentence.NO_FACT, id=fact_id)
    return "\n".join([context.say(MemorySentence.KEPT), *fact_lines([fact])])


async def masked_note(context: CommandContext, content: str) -> list[str]:
    """Return the sentence that a text had secrets, which are not kept; nothing where it had none."""
    person = await context.services.people.person_of(context.message.sender)
    noted = await context.services.memory.notices(person, content, private=False)
    return [context.say(Sentence.MEMORY_SECRETS, count=noted.secrets)] if noted.secrets else []


async def export_memory(context: CommandContext, person: str, words: str) -> CommandAnswer:
    """Send the memory as a file, in the shape that the words name."""
    shapes = {shape.value: shape for shape in ExportShape}
    shape = shapes.get(words.casefold(), ExportShape.PARLEY)
    text = await context.services.memory_controls.export(person, shape)
    named = "memory.json" if shape is ExportShape.PARLEY else f"memory-{shape.value}.json"
    file = await asyncio.to_thread(_written, context.services.files / f"memory-{context.item}" / named, text)
    return CommandAnswer(context.say(Sentence.MEMORY_EXPORTED), (file,))


def _written(path: Path, text: str) -> StoredFile:
    data = text.encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise MemoryFailed(f"The file could not be written: {error.strerror}.") from error
    return StoredFile(AttachmentKind.FILE, path.name, "application/json", len(data), str(path))
