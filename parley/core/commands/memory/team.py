"""`/memory team`: facts that belong to a chat, said by its members, in the hands of all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from parley.core.commands.context import CommandAnswer, CommandContext
from parley.core.commands.memory.edits import export_memory, masked_note, origin_of
from parley.core.commands.memory.forgetting import ForgetTexts, forget_facts
from parley.core.commands.memory.lines import MAX_FACTS_SHOWN, UNDONE
from parley.core.model.address import account_key
from parley.core.ports.memory.port import FactView
from parley.core.state.team_chats import team_of
from parley.core.texts import MemorySentence
from parley.core.texts.typed_words import CONFIRM, TEAM_ACTIONS


async def team_memory(context: CommandContext, rest: str) -> str | CommandAnswer:
    """Do what the first word says with the memory of this chat; without one, show it. Raises MemoryFailed."""
    if context.message.private:
        return context.say(MemorySentence.TEAM_GROUP_ONLY)
    word, _, words = rest.partition(" ")
    name = next((name for name, typed in TEAM_ACTIONS.items() if word.casefold() in typed), "")
    if not name:
        return context.say(MemorySentence.TEAM_USAGE)
    team = team_of(context.conversation)
    if name not in ("on", "off", "clear", "export") and not await context.services.team_chats.is_on(team):
        return context.say(MemorySentence.TEAM_OFF)
    return await _HANDLERS[name](context, team, words.strip())


async def _show(context: CommandContext, team: str, words: str) -> str:
    facts = (await context.services.memory.overview(team)).facts
    if not facts:
        return "\n".join([context.say(MemorySentence.TEAM_EMPTY), "", context.say(MemorySentence.TEAM_USAGE)])
    header = context.say(MemorySentence.TEAM_HEADER)
    return "\n".join([header, *_listed(context, facts), "", context.say(MemorySentence.TEAM_USAGE)])


async def _search(context: CommandContext, team: str, words: str) -> str:
    if not words:
        return context.say(MemorySentence.TEAM_USAGE)
    found = await context.services.memory.search(team, words)
    return "\n".join(_listed(context, found)) or context.say(MemorySentence.TEAM_NOT_FOUND, words=words)


async def _add(context: CommandContext, team: str, words: str) -> str:
    if not any(map(str.isalnum, words)):
        return context.say(MemorySentence.TEAM_USAGE)
    sender = context.message.sender
    origin = origin_of(context, sender.name or sender.id)
    await context.services.team_chats.note_speaker(team, account_key(sender))
    fact = await context.services.memory_controls.add(team, words, account_key(sender), origin)
    said = context.say(MemorySentence.TEAM_ADDED)
    return "\n".join([said, *_listed(context, [fact]), *await masked_note(context, words)])


async def _edit(context: CommandContext, team: str, words: str) -> str:
    fact_id, _, content = words.partition(" ")
    if not any(map(str.isalnum, content)):
        return context.say(MemorySentence.TEAM_USAGE)
    sender = context.message.sender
    origin = origin_of(context, sender.name or sender.id)
    await context.services.team_chats.note_speaker(team, account_key(sender))
    controls, fact_id = context.services.memory_controls, fact_id.strip("`")
    fact = await controls.edit(team, fact_id, content.strip(), account_key(sender), origin)
    if fact is None:
        return context.say(MemorySentence.TEAM_NOT_FOUND, words=fact_id)
    said = context.say(MemorySentence.EDITED)
    return "\n".join([said, *_listed(context, [fact]), *await masked_note(context, content)])


async def _keep(context: CommandContext, team: str, words: str) -> str:
    """Take a fact for certain: somebody in the chat says that it still holds."""
    fact_id = words.strip("` ")
    if not fact_id:
        return context.say(MemorySentence.TEAM_USAGE)
    fact = await context.services.memory_controls.keep(team, fact_id)
    if fact is None:
        return context.say(MemorySentence.TEAM_NOT_FOUND, words=fact_id)
    return "\n".join([context.say(MemorySentence.KEPT), *_listed(context, [fact])])


async def _forget(context: CommandContext, team: str, words: str) -> str:
    return await forget_facts(context, team, words, _FORGET_TEXTS)


async def _undo(context: CommandContext, team: str, words: str) -> str:
    return context.say(UNDONE[await context.services.memory.undo(team)])


async def _on(context: CommandContext, team: str, words: str) -> str:
    await context.services.team_chats.switch(team, on=True)
    return "\n".join([context.say(MemorySentence.TEAM_ON), "", context.say(MemorySentence.TEAM_USAGE)])


async def _off(context: CommandContext, team: str, words: str) -> str:
    await context.services.team_chats.switch(team, on=False)
    return context.say(MemorySentence.TEAM_OFF_NOW)


async def _clear(context: CommandContext, team: str, words: str) -> str:
    if words.casefold() not in CONFIRM:
        count = len((await context.services.memory.overview(team)).facts)
        return context.say(MemorySentence.TEAM_CLEAR_CONFIRM, count=count)
    return context.say(MemorySentence.TEAM_CLEARED, count=await context.services.memory.clear(team))


def _listed(context: CommandContext, facts: Sequence[FactView]) -> list[str]:
    """Return a line for each of the first facts: its id, what it says, and by whom and when it was said."""
    lines = [f"- `{fact.id}` {fact.content} ({_said_by(context, fact)})" for fact in facts[:MAX_FACTS_SHOWN]]
    more = len(facts) - MAX_FACTS_SHOWN
    return [*lines, *([context.say(MemorySentence.TEAM_MORE, count=more)] if more > 0 else [])]


def _said_by(context: CommandContext, fact: FactView) -> str:
    speaker = fact.origin.speaker or context.say(MemorySentence.TEAM_SOMEBODY)
    stale = context.say(MemorySentence.TEAM_STALE, id=fact.id) if fact.confidence < 1 else ""
    return ", ".join(part for part in (speaker, fact.at[:10], fact.origin.link, stale) if part)


_FORGET_TEXTS = ForgetTexts(
    MemorySentence.TEAM_USAGE,
    MemorySentence.TEAM_FORGET_WHICH,
    MemorySentence.TEAM_NOT_FOUND,
    MemorySentence.TEAM_FORGOTTEN,
    _listed,
)
_Action = Callable[[CommandContext, str, str], Awaitable[str | CommandAnswer]]

_HANDLERS: dict[str, _Action] = {
    "show": _show,
    "search": _search,
    "add": _add,
    "edit": _edit,
    "keep": _keep,
    "forget": _forget,
    "undo": _undo,
    "off": _off,
    "on": _on,
    "export": export_memory,
    "clear": _clear,
}
