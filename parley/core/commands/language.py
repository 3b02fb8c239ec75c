"""/language: which language Parley itself speaks with somebody."""

from __future__ import annotations

from parley.core.commands.context import CommandContext
from parley.core.texts import CATALOGUE, Sentence, say

_AUTO = "auto"


async def language(context: CommandContext, rest: str) -> str:
    """Without a name: what there is. With one: speak it with this person, on all their accounts."""
    people, sender = context.services.people, context.message.sender
    wanted = rest.strip("`'\"").casefold()
    if wanted in CATALOGUE:
        await people.set_language(sender, wanted)
        return say(wanted, Sentence.LANGUAGE_SET)
    if wanted == _AUTO:
        await people.set_language(sender, "")
        return context.say(Sentence.LANGUAGE_AUTO)
    return context.say(Sentence.LANGUAGE_HOW, now=await people.language_of(sender) or _AUTO)
