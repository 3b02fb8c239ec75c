"""Renders a memory as the `<memory>` block of a run, within a token budget (pure).

The order is that of the reference system, and with `injection_format: classic` the lines are its own too. The
budget is for the whole block, its tags included; docs/memory-injection.md says who gets what of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from parley.core.model.types import Json
from parley.memory.inject.budget import CORRECTIONS, SUMMARIES, FactSelection, summary_sections
from parley.memory.inject.essentials import ESSENTIAL_TOKENS, essentials_first
from parley.memory.inject.instructions import instruction_section, is_no_instruction
from parley.memory.inject.line_cache import LineCache, Render
from parley.memory.inject.lines import classic_line, fact_line, flatten, labelled_line
from parley.memory.model.document import (
    SUMMARY_SECTIONS,
    Category,
    Fact,
    MemoryDocument,
    Summaries,
    Summary,
)
from parley.memory.options import Groups, InjectionFormat, MemoryOptions, Ranking
from parley.memory.search.ranked_facts import RankedFacts
from parley.memory.storage.document_format import read_fact
from parley.memory.text.token_counting import (
    WARM_UP,
    ByteCounter,
    Counter,
    token_counter,
)

_OPEN = "<memory>\n"
_CLOSE = "</memory>"
_FACTS = "Facts:\n"
_BYTES = ByteCounter()
# Upper bound of the bytes of a title and a label.
_HEADING = 48


def build_block(
    document: MemoryDocument,
    ranked: RankedFacts | Sequence[Fact],
    options: MemoryOptions,
    counter: Counter,
    *,
    private: bool,
    today: str = "",
    lines: LineCache | None = None,
    concerned: bool = True,
) -> str:
    """Return the block for a run; empty when there is nothing to tell.

    Where the messages are not `concerned` with anything remembered, it is a small one with what always
    matters. `ranked` are the person's facts, best first; `today` is the date of the turn. Where others listen
    (`private` is False), `options.groups` decides: only facts that were said there and no summaries, nothing,
    or the same as in private. `lines` are those of the same memory from before, in the same form: nearly all
    facts look as they did.
    """
    unheard = not private and options.groups is Groups.OFF
    if unheard or not (options.enabled and options.injection_enabled):
        return ""
    lines = LineCache(line_format(options.injection_format)) if lines is None else lines
    heading, budget = _facts_heading(options, today), options.max_injection_tokens
    corrections = CORRECTIONS
    shown = ranked if isinstance(ranked, RankedFacts) else RankedFacts(ranked)
    if not concerned:
        shown = essentials_first(shown, lines.essentials(shown.resting))
        budget = min(budget, ESSENTIAL_TOKENS)
        corrections = budget // 2
    everything = private or options.groups is Groups.SHARED
    summaries = document.summaries if everything else Summaries()
    if not everything:
        shown = shown.only(lambda fact: fact.shared)
    wishes = ""
    if options.instructions and options.injection_format is InjectionFormat.DATED:
        wishes = instruction_section(shown.of_kind(Category.INSTRUCTION), lines.line, budget)
        shown = shown.only(is_no_instruction)
    return _written(summaries, shown, lines, budget, counter, heading, corrections, wishes)


def line_format(injection_format: InjectionFormat) -> Render:
    """Return the function that renders a fact in this form."""
    return classic_line if injection_format is InjectionFormat.CLASSIC else fact_line


def _facts_heading(options: MemoryOptions, today: str) -> str:
    dated = today and options.injection_format is InjectionFormat.DATED
    return f"Facts (today is {today}):\n" if dated else _FACTS


def format_memory_for_injection(
    memory_data: object,
    max_tokens: int = 2000,
    *,
    messages: Sequence[str] = (),
    ranked: Sequence[Fact] | None = None,
    options: MemoryOptions | None = None,
    counter: Counter | None = None,
    injection_format: InjectionFormat = InjectionFormat.CLASSIC,
) -> str:
    """Return the block of a memory: a MemoryDocument, or a dict of schema 1.0 in any state.

    Facts come by confidence. With `messages` (what the person wrote last, oldest first) they come as
    `options.ranking` says; `ranked` gives a document's facts in an order of your own. Entries that cannot
    be read are left out. Outside an event loop the first call waits for the tokenizer (0.2 s); inside one
    it is never waited for, and tokens are estimated until it is there.
    """
    options = options or MemoryOptions()
    counter = counter or token_counter(options)
    if not _on_a_loop():
        counter.wait(WARM_UP)
    document, render = _read(memory_data, injection_format)
    if ranked is None:
        ranked = _order(document.facts, messages, options)
    return _written(document.summaries, RankedFacts(ranked), LineCache(render), max_tokens, counter, _FACTS)


def by_confidence(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts by confidence and use, past ones last; of equals, the one stored first comes first."""
    return sorted(facts, key=lambda fact: (bool(fact.until), -fact.confidence, -fact.uses))


def _order(facts: Sequence[Fact], messages: Sequence[str], options: MemoryOptions) -> list[Fact]:
    if not any(map(str.strip, messages)) or options.ranking is Ranking.CONFIDENCE:
        return by_confidence(facts)
    from parley.memory.search.index import FactIndex  # imported late: callers with `ranked` do not need it
    from parley.memory.search.ranking import rank

    return rank(FactIndex(facts), messages, options)


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _written(
    summaries: Summaries,
    ranked: RankedFacts,
    lines: LineCache,
    budget: int,
    counter: Counter,
    heading: str,
    corrections: int = CORRECTIONS,
    instructions: str = "",
) -> str:
    """Render the section of instructions, then the best fact, corrections, summaries, the remaining facts."""
    frame = _BYTES.count(f"{_OPEN}{heading}{instructions}{_CLOSE}")
    if _is_small(summaries, ranked, lines.line, budget, budget - frame, corrections):
        counter = _BYTES
    room = budget - counter.count(_OPEN) - counter.count(_CLOSE) - counter.count(instructions)
    facts = FactSelection(ranked, lines.use_counter(counter), room - counter.count(heading))
    facts.take_best()
    facts.take_corrections(corrections)
    left = facts.left if facts else room
    sections = summary_sections(summaries, min(int(budget * SUMMARIES), left), counter, facts=bool(facts))
    if facts:
        facts.left -= sum(map(counter.count, sections))
        facts.take_rest()
        sections.append(heading + "".join(facts.lines()))
    if instructions:
        sections.insert(0, instructions + ("\n" if sections else ""))
    return f"{_OPEN}{''.join(sections)}{_CLOSE}" if sections else ""


def _is_small(
    summaries: Summaries, ranked: Iterable[Fact], render: Render, budget: int, left: int, corrections: int
) -> bool:
    """Return whether all of it fits in any case: each byte may be a token.

    Exact counts would change nothing then, and most memories never need a tokenizer (36 MB).
    """
    texts = (f"{name}{each.text}" for name, each in summaries.named() if each.text)
    told = sum(_BYTES.count(text) + _HEADING for text in texts)
    left -= told
    if left < 0 or told > budget * SUMMARIES:
        return False
    for fact in ranked:
        cost = _BYTES.count(render(fact))
        left -= cost
        corrections -= cost if fact.category == Category.CORRECTION else 0
        if left < 0 or corrections < 0:
            return False
    return True


def _read(memory_data: object, injection_format: InjectionFormat) -> tuple[MemoryDocument, Render]:
    """Return what can be read of a memory, and a renderer of its facts: a dict's categories stay."""
    render = line_format(injection_format)
    if isinstance(memory_data, MemoryDocument):
        return memory_data, render
    if not isinstance(memory_data, Mapping):
        return MemoryDocument(), render
    facts: list[Fact] = []
    labels: dict[str, str] = {}
    entries = memory_data.get("facts")
    for place, entry in enumerate(entries if isinstance(entries, list | tuple) else ()):
        fact = read_fact(entry)
        if fact is not None:
            facts.append(replace(fact, id=str(place)))
            labels[str(place)] = _label(entry.get("category"))
    document = MemoryDocument(_summaries(memory_data), tuple(facts))
    if injection_format is not InjectionFormat.CLASSIC:
        return document, render
    return document, lambda fact: labelled_line(fact, labels.get(fact.id, fact.category))


def _label(category: Json) -> str:
    return flatten(category) if isinstance(category, str) else Category.CONTEXT.value


def _summaries(memory_data: Mapping[str, object]) -> Summaries:
    found = {}
    for section, names in SUMMARY_SECTIONS.items():
        entries = memory_data.get(section)
        for name in names:
            entry = entries.get(name) if isinstance(entries, Mapping) else None
            text = entry.get("summary") if isinstance(entry, Mapping) else entry
            if isinstance(text, str):
                found[name] = Summary(text)
    return Summaries().changed(found)
