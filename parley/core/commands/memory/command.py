"""The command `/memory`: shows, searches, adds and clears, or hands its words to the module of an action."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime

from parley.core.commands.context import CommandAnswer, CommandContext
from parley.core.commands.memory.edits import edit_fact, export_memory, keep_fact, masked_note, origin_of
from parley.core.commands.memory.forgetting import ForgetTexts, forget_facts
from parley.core.commands.memory.imports import import_memories
from parley.core.commands.memory.lines import MAX_FACTS_SHOWN, UNDONE, fact_lines, first_facts
from parley.core.commands.memory.team import team_memory
from parley.core.commands.memory.why import explain_memory
from parley.core.model.address import Conversation, account_key
from parley.core.model.errors import MemoryDamaged
from parley.core.ports.memory.past_turns import PastTurn, PastTurnQuery
from parley.core.ports.memory.port import INSTRUCTION, MOST_INSTRUCTIONS, SIMPLE_RULES, FactView
from parley.core.texts import MemorySentence, Sentence
from parley.core.texts.typed_words import CONFIRM, MEMORY_ACTIONS

_TURNS_SHOWN, _EXCERPT = 8, 240

_TITLES = {
    "workContext": Sentence.MEMORY_WORK,
    "personalContext": Sentence.MEMORY_PERSONAL,
    "topOfMind": Sentence.MEMORY_TOP_OF_MIND,
    "recentMonths": Sentence.MEMORY_RECENT,
    "earlierContext": Sentence.MEMORY_EARLIER,
    "longTermBackground": Sentence.MEMORY_BACKGROUND,
}
_FORGET_TEXTS = ForgetTexts(
    Sentence.MEMORY_USAGE,
    Sentence.MEMORY_FORGET_WHICH,
    Sentence.MEMORY_NOT_FOUND,
    Sentence.MEMORY_FORGOTTEN,
    first_facts,
)


async def memory(context: CommandContext, rest: str) -> str | CommandAnswer:
    """Do what the first word says; without one, show everything. Raises MemoryFailed."""
    if not context.services.memory.enabled:
        return context.say(Sentence.MEMORY_DISABLED)
    word, _, words = rest.partition(" ")
    if word.casefold() in MEMORY_ACTIONS["team"]:
        return await team_memory(context, words.strip())
    if not context.message.private:
        return context.say(Sentence.MEMORY_PRIVATELY)
    action = _ACTIONS.get(word.casefold())
    if action is None:
        return context.say(Sentence.MEMORY_USAGE)
    person = await context.services.people.person_of(context.message.sender)
    try:
        return await action(context, person, words.strip())
    except MemoryDamaged as error:
        return context.say(Sentence.MEMORY_DAMAGED, name=error.name)


async def _show(context: CommandContext, person: str, words: str) -> str:
    seen = await context.services.memory.overview(person)
    lines = [context.say(Sentence.MEMORY_HEADER if seen.on else Sentence.MEMORY_HEADER_OFF)]
    if seen.damaged:
        lines.append(context.say(Sentence.MEMORY_DAMAGED, name=seen.damaged))
    titles = {name: context.say(title) for name, title in _TITLES.items()}
    lines += [f"- **{titles.get(name, name)}**: {text}" for name, text in seen.summaries]
    wishes = _wishes(seen.facts)
    if wishes:
        newest = sorted(wishes, key=lambda fact: max(fact.at, fact.confirmed), reverse=True)
        lines += [context.say(MemorySentence.INSTRUCTIONS), *fact_lines(newest[:MOST_INSTRUCTIONS])]
        lines += [*_full_line(context, len(wishes)), ""]
    others = [fact for fact in seen.facts if fact not in wishes]
    lines += fact_lines(others[:MAX_FACTS_SHOWN])
    if not seen.summaries and not seen.facts and not seen.damaged:
        lines.append(context.say(Sentence.MEMORY_EMPTY))
    if len(others) > MAX_FACTS_SHOWN:
        lines.append(context.say(Sentence.MEMORY_MORE, count=len(others) - MAX_FACTS_SHOWN))
    if seen.secrets or seen.orders or seen.unsaid:
        lines.append(
            context.say(
                Sentence.MEMORY_KEPT_OUT, secrets=seen.secrets, orders=seen.orders, unsaid=seen.unsaid
            )
        )
    lines += _learner_line(context, seen.learner)
    if seen.waiting:
        lines.append(context.say(Sentence.MEMORY_WAITING, count=seen.waiting))
    usage = (context.say(Sentence.MEMORY_USAGE), context.say(MemorySentence.MORE_USAGE))
    return "\n".join([*lines, "", *usage])


def _learner_line(context: CommandContext, learner: str) -> Iterator[str]:
    if learner == SIMPLE_RULES:
        yield context.say(MemorySentence.LEARNED_BY_RULES)
    elif learner:
        yield context.say(MemorySentence.LEARNED_BY, name=learner)


async def _search(context: CommandContext, person: str, words: str) -> str:
    if not words:
        return context.say(Sentence.MEMORY_USAGE)
    found = await context.services.memory.search(person, words)
    if not found:
        return context.say(Sentence.MEMORY_NOT_FOUND, words=words)
    return "\n".join(fact_lines(found[:MAX_FACTS_SHOWN]))


async def _recall(context: CommandContext, person: str, words: str) -> str:
    """Search the past conversations of whoever asks; without words, show the last turns."""
    past = context.services.past_turns
    if not past.enabled:
        return context.say(Sentence.MEMORY_RECALL_OFF)
    found = await past.search(PastTurnQuery(person, words, limit=_TURNS_SHOWN))
    if not found:
        return context.say(Sentence.MEMORY_RECALLED_NOTHING, words=words)
    return "\n".join([context.say(Sentence.MEMORY_RECALLED), *map(_past_line, found)])


def _past_line(turn: PastTurn) -> str:
    day = datetime.fromtimestamp(turn.at, UTC).date().isoformat()
    channel = Conversation.parse(turn.conversation).channel
    return f"- {day} · {channel}: “{_excerpt(turn.said)}” → “{_excerpt(turn.reply)}”"


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else f"{flat[:_EXCERPT]}…"


async def _add(context: CommandContext, person: str, words: str) -> str:
    if not words:
        return context.say(Sentence.MEMORY_USAGE)
    account = account_key(context.message.sender)
    fact = await context.services.memory_controls.add(
        person, words, "" if account == person else account, origin_of(context)
    )
    masked = await masked_note(context, words)
    full: list[str] = []
    if fact.category == INSTRUCTION:
        seen = await context.services.memory.overview(person)
        full = _full_line(context, len(_wishes(seen.facts)))
    return "\n".join([context.say(Sentence.MEMORY_ADDED), *fact_lines([fact]), *masked, *full])


def _wishes(facts: Sequence[FactView]) -> list[FactView]:
    return [fact for fact in facts if fact.category == INSTRUCTION and not fact.until]


def _full_line(context: CommandContext, count: int) -> list[str]:
    """Return that there are more standing instructions than the agent is told, where that is so."""
    if count <= MOST_INSTRUCTIONS:
        return []
    return [context.say(MemorySentence.INSTRUCTIONS_FULL, count=count, most=MOST_INSTRUCTIONS)]


async def _forget(context: CommandContext, person: str, words: str) -> str:
    return await forget_facts(context, person, words, _FORGET_TEXTS)


async def _undo(context: CommandContext, person: str, words: str) -> str:
    return context.say(UNDONE[await context.services.memory.undo(person)])


async def _off(context: CommandContext, person: str, words: str) -> str:
    await context.services.memory.switch(person, on=False)
    return context.say(Sentence.MEMORY_OFF)


async def _on(context: CommandContext, person: str, words: str) -> str:
    await context.services.memory.switch(person, on=True)
    return context.say(Sentence.MEMORY_ON)


async def _clear(context: CommandContext, person: str, words: str) -> str:
    if words.casefold() not in CONFIRM:
        seen = await context.services.memory.overview(person)
        return context.say(Sentence.MEMORY_CLEAR_CONFIRM, count=len(seen.facts))
    count = await context.services.memory.clear(person)
    return "\n\n".join(
        [context.say(Sentence.MEMORY_CLEARED, count=count), context.say(Sentence.MEMORY_STILL_SAID)]
    )


_Action = Callable[[CommandContext, str, str], Awaitable[str | CommandAnswer]]

_HANDLERS: dict[str, _Action] = {
    "show": _show,
    "search": _search,
    "recall": _recall,
    "add": _add,
    "forget": _forget,
    "undo": _undo,
    "off": _off,
    "on": _on,
    "export": export_memory,
    "clear": _clear,
    "edit": edit_fact,
    "keep": keep_fact,
    "why": explain_memory,
    "import": import_memories,
}
_ACTIONS = {word: act for name, act in _HANDLERS.items() for word in MEMORY_ACTIONS[name]}
