"""/models and /agents: list what there is, or switch this conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.commands.context import CommandContext
from parley.core.texts import Sentence


async def models(context: CommandContext, rest: str) -> str:
    """Return the models a person may choose from, the configuration's own list first."""
    offered = context.services.options.models or await context.services.agent.models()
    record, _ = await context.services.conversations.read(context.conversation)
    if not offered:
        return context.say(Sentence.MODELS_NONE)
    if not rest:
        return _listing(context, Sentence.MODELS_HEADER, offered, record.model)
    chosen = _find(offered, rest)
    if not chosen:
        return context.say(Sentence.MODEL_UNKNOWN, name=rest)
    await context.services.conversations.change(
        context.conversation, lambda record: replace(record, model=chosen)
    )
    return context.say(Sentence.MODEL_SWITCHED, name=chosen)


async def agents(context: CommandContext, rest: str) -> str:
    """Return the assistants that the agent server offers."""
    offered = await context.services.agent.assistants()
    record, _ = await context.services.conversations.read(context.conversation)
    if not offered:
        return context.say(Sentence.AGENTS_NONE)
    if not rest:
        default = context.services.channel_options(context.message).session.assistant
        return _listing(context, Sentence.AGENTS_HEADER, offered, record.assistant or default)
    chosen = _find(offered, rest)
    if not chosen:
        return context.say(Sentence.AGENT_UNKNOWN, name=rest)
    await context.services.conversations.change(
        context.conversation, lambda record: replace(record, assistant=chosen)
    )
    return context.say(Sentence.AGENT_SWITCHED, name=chosen)


def _listing(context: CommandContext, header: Sentence, names: Sequence[str], current: str) -> str:
    mark = context.say(Sentence.CURRENT)
    lines = [f"- `{name}`" + (f" ({mark})" if name == current else "") for name in names]
    return "\n".join([context.say(header), "", *lines])


def _find(names: Sequence[str], wanted: str) -> str:
    wanted = wanted.strip("`'\"").casefold()
    return next((name for name in names if name.casefold() == wanted), "")
