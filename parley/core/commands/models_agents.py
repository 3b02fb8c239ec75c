"""/models and /agents: list what there is, or switch this conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.commands.context import CommandContext
from parley.core.model.options import ChannelOptions
from parley.core.ports.agent import Agent, AssistantInfo
from parley.core.state.conversations import with_chosen_session
from parley.core.texts import Sentence

_WILDCARD = frozenset("*?[")


async def models(context: CommandContext, rest: str) -> str:
    """Return the models a person may choose from, the configuration's own list first."""
    options, services = context.services.channel_options(context.message), context.services
    offered = await offered_models(services.agent, options, services.options.models)
    record, _ = await context.services.conversations.read(context.conversation)
    if not offered:
        return context.say(Sentence.MODELS_NONE)
    if not rest:
        return _listing(context, Sentence.MODELS_HEADER, [(name, name == record.model) for name in offered])
    chosen = _find(offered, rest)
    if not chosen:
        return context.say(Sentence.MODEL_UNKNOWN, name=rest)
    await context.services.conversations.change(
        context.conversation, lambda record: replace(record, model=chosen)
    )
    return context.say(Sentence.MODEL_SWITCHED, name=chosen)


async def offered_models(agent: Agent, options: ChannelOptions, listed: Sequence[str] = ()) -> Sequence[str]:
    """Return the models that `options` offer of those that are `listed`, else of the agent's own.

    Raises AgentError.
    """
    return [name for name in listed or await agent.models() if options.offers_model(name)]


async def agents(context: CommandContext, rest: str) -> str:
    """Return the assistants that the agent server has, as far as the settings offer them here."""
    options = context.services.channel_options(context.message)
    listed = await context.services.agent.assistants() or _named_in(options)
    offered = [each for each in listed if options.offers_assistant(*each.names)]
    if not offered:
        return context.say(Sentence.AGENTS_NONE)
    if not rest:
        record, _ = await context.services.conversations.read(context.conversation)
        now = with_chosen_session(options, context.message.sender, record).assistant
        lines = [(_label(each, offered), now in (each.target, each.name, each.id)) for each in offered]
        return _listing(context, Sentence.AGENTS_HEADER, lines)
    chosen = _find_assistant(offered, rest)
    if chosen is None:
        return context.say(Sentence.AGENT_UNKNOWN, name=rest)
    await context.services.conversations.change(
        context.conversation,
        lambda record: replace(record, assistant=chosen.target, assistant_names=chosen.names),
    )
    return context.say(Sentence.AGENT_SWITCHED, name=_label(chosen, offered))


def _named_in(options: ChannelOptions) -> Sequence[AssistantInfo]:
    """Return the assistants that settings name outright: a server may run what it does not list."""
    names = [each for each in options.assistants or () if not _WILDCARD.intersection(each)]
    return [AssistantInfo(name, name) for name in names]


def _listing(context: CommandContext, header: Sentence, lines: Sequence[tuple[str, bool]]) -> str:
    mark = context.say(Sentence.CURRENT)
    shown = [f"- `{name}`" + (f" ({mark})" if current else "") for name, current in lines]
    return "\n".join([context.say(header), "", *shown])


def _label(assistant: AssistantInfo, offered: Sequence[AssistantInfo]) -> str:
    """Return what an assistant is chosen by: its name, its id where others have the same name."""
    same = [each for each in offered if each.name.casefold() == assistant.name.casefold()]
    return assistant.name if len(same) == 1 else assistant.target


def _find_assistant(offered: Sequence[AssistantInfo], wanted: str) -> AssistantInfo | None:
    """Return the one of this name, else of this id, else the first of this graph; none of several names."""
    labels = [_label(each, offered) for each in offered]
    if name := _find(labels, wanted):
        return offered[labels.index(name)]
    for names in ([each.id for each in offered], [each.graph for each in offered]):
        if name := _find(names, wanted):
            return offered[names.index(name)]
    return None


def _find(names: Sequence[str], wanted: str) -> str:
    wanted = wanted.strip("`'\"").casefold()
    return next((name for name in names if name.casefold() == wanted), "")
