"""/busy: what becomes of messages that come while an answer is being written here."""

from __future__ import annotations

from dataclasses import replace

from parley.core.commands.context import CommandContext
from parley.core.inbound.busy_policy import effective_busy_policy
from parley.core.model.options import BusyPolicy
from parley.core.texts import Sentence

_DEFAULT = "default"
_ABOUT = {
    BusyPolicy.QUEUE: Sentence.BUSY_QUEUE,
    BusyPolicy.MERGE: Sentence.BUSY_MERGE,
    BusyPolicy.INTERRUPT: Sentence.BUSY_INTERRUPT,
    BusyPolicy.REJECT: Sentence.BUSY_REJECT,
}


async def busy(context: CommandContext, rest: str) -> str:
    """Without a name: the ways there are. With one: take it for this conversation."""
    wanted = rest.strip("`'\"").casefold()
    if not wanted:
        return await _listing(context)
    if wanted != _DEFAULT and wanted not in _ABOUT:
        return context.say(Sentence.BUSY_UNKNOWN, name=rest)
    chosen = None if wanted == _DEFAULT else BusyPolicy(wanted)
    await context.services.bus.busy.enable()
    record = await context.services.conversations.change(
        context.conversation, lambda record: replace(record, when_busy=chosen)
    )
    now = effective_busy_policy(context.services.channel_options(context.message), record)
    return context.say(Sentence.BUSY_SET, about=context.say(_ABOUT[now]))


async def _listing(context: CommandContext) -> str:
    record, _ = await context.services.conversations.read(context.conversation)
    now, mark = (
        effective_busy_policy(context.services.channel_options(context.message), record),
        context.say(Sentence.CURRENT),
    )
    lines = [
        f"- `{name}`: {context.say(about)}" + (f" ({mark})" if name is now else "")
        for name, about in _ABOUT.items()
    ]
    return "\n".join([context.say(Sentence.BUSY_HEADER), "", *lines])
