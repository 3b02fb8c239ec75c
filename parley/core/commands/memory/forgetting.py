"""`/memory forget` and `/memory team forget`: asks which where words name several facts, then forgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parley.core.commands.context import CommandContext
from parley.core.ports.memory.port import FactView
from parley.core.texts import MemorySentence, Sentence
from parley.core.texts.typed_words import CONFIRM


@dataclass(frozen=True, slots=True)
class ForgetTexts:
    """The sentences of one memory: a person's own, or a team's. `lines` lists its facts."""

    usage: Sentence | MemorySentence
    which: Sentence | MemorySentence
    not_found: Sentence | MemorySentence
    forgotten: Sentence | MemorySentence
    lines: Callable[[CommandContext, Sequence[FactView]], list[str]]


async def forget_facts(context: CommandContext, owner: str, words: str, texts: ForgetTexts) -> str:
    """Forget what the words name in the memory of `owner`; several facts only once that is confirmed."""
    meant, _, rest = words.partition(" ")
    sure = meant.casefold() in CONFIRM and bool(rest.strip())
    words = (rest.strip() if sure else words).strip("`")
    if not words:
        return context.say(texts.usage)
    found = await context.services.memory.forgettable(owner, words)
    if len(found) > 1 and not sure:
        which = context.say(texts.which, count=len(found), words=words)
        return "\n".join([which, *texts.lines(context, found)])
    gone = await context.services.memory.forget(owner, words)
    if not gone:
        return context.say(texts.not_found, words=words)
    said = context.say(texts.forgotten, count=len(gone))
    return "\n".join([said, *texts.lines(context, gone), "", context.say(Sentence.MEMORY_STILL_SAID)])
