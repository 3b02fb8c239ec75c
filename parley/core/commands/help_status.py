"""/help, /status and /whoami."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence

from parley.core.commands.context import CommandContext
from parley.core.inbound.turn_queue import load_queue
from parley.core.model.command_syntax import COMMAND_NAMES
from parley.core.model.errors import ChannelError
from parley.core.ports.channel import StatusNotes
from parley.core.ports.health import NODES, WAITING, HealthReport
from parley.core.state.conversations import ConversationRecord, chosen_name, with_chosen_session
from parley.core.state.turn_record import TurnStage
from parley.core.texts import Sentence

log = logging.getLogger(__name__)


async def help_text(context: CommandContext, rest: str) -> str:
    """Return what can be asked of Parley itself."""
    lines = [f"- `/{name}`: {context.say(Sentence(f'about_{name}'))}" for name in COMMAND_NAMES]
    return "\n".join([context.say(Sentence.HELP_HEADER), "", *lines, "", context.say(Sentence.HELP_FOOTER)])


async def whoami(context: CommandContext, rest: str) -> str:
    """Return who the platform says is asking, and where."""
    sender = context.message.sender
    lines = [
        context.say(Sentence.WHOAMI, name=sender.name or sender.id, user=sender.id, channel=sender.channel),
        context.say(Sentence.WHOAMI_CHAT, conversation=context.conversation.key),
        *[context.say(remark) for remark in await _remarks(context)],
    ]
    return "\n".join(lines)


async def _remarks(context: CommandContext) -> Sequence[Sentence]:
    channel = context.services.channels[context.conversation.channel]
    if not isinstance(channel, StatusNotes):
        return ()
    try:
        return await channel.remarks(context.conversation)
    except ChannelError as error:
        log.info("/whoami in %s goes without remarks: %s", context.conversation.key, error)
        return ()


async def status(context: CommandContext, rest: str) -> str:
    """Return the conversation's thread, what it is doing, and how the agent and the channel are."""
    services, conversation = context.services, context.conversation
    record, _ = await services.conversations.read(conversation)
    options = services.channel_options(context.message)
    session = with_chosen_session(options, context.message.sender, record)
    lines = [
        context.say(
            Sentence.STATUS,
            thread=services.conversations.thread_id(conversation, record),
            assistant=chosen_name(session, record),
            model=record.model or "–",
            agent=_health(await services.agent.health()),
            channel=_channel_health(context),
        ),
        await _doing(context, record),
        await _load(context),
        *_nodes(context),
    ]
    return "\n".join(lines)


async def _doing(context: CommandContext, record: ConversationRecord) -> str:
    conversation = context.conversation
    queue = await load_queue(context.services.journal, conversation)
    running = queue.turn.stage is not TurnStage.ACCEPTED
    if running:
        now = Sentence.STATUS_BUSY
    else:
        now = Sentence.STATUS_QUESTION if record.question else Sentence.STATUS_FREE
    lines = [context.say(now)]
    queued = len(queue.items) - (len(queue.turn.items) if running else 0)
    if queued > 0:
        lines.append(context.say(Sentence.STATUS_WAITING, count=queued))
    return "\n".join(lines)


async def _load(context: CommandContext) -> str:
    """Return what there is to do, for all together."""
    services = context.services
    load = await services.load()
    figures = {"turns": load.turns, "most": services.options.max_turns, "waiting": load.waiting}
    figures |= {"learning": load.learning, "oldest": round(load.oldest), "lag": round(load.learning_oldest)}
    store = "–" if math.isnan(load.store_latency) else f"{load.store_latency * 1000:.0f}"
    return context.say(
        Sentence.STATUS_LOAD, store=store, **{name: str(each) for name, each in figures.items()}
    )


def _nodes(context: CommandContext) -> Iterator[str]:
    """Yield the nodes of which this is one, where there are several; administrators read what waits, too."""
    message = context.message
    admin = message.sender.id in context.services.channel_options(message).admins
    for report in context.services.reports():
        if report.name == NODES:
            yield context.say(Sentence.STATUS_NODES, nodes=report.detail)
        elif report.name == WAITING and admin:
            yield context.say(Sentence.STATUS_WAITING_ELSEWHERE, detail=report.detail)


def _channel_health(context: CommandContext) -> str:
    name = context.conversation.channel
    return next((_health(report) for report in context.services.reports() if report.name == name), name)


def _health(report: HealthReport) -> str:
    return f"{report.name}: {report.health}" + (f" (`{report.detail}`)" if report.detail else "")
