"""The table of commands, and running one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bridge.commands.about import help_text, status, whoami
from bridge.commands.busy import busy
from bridge.commands.choices import agents, models
from bridge.commands.context import CommandAnswer, CommandContext
from bridge.commands.flow import new, retry, stop
from bridge.commands.language import language
from bridge.commands.linking import link, unlink
from bridge.commands.memory import memory
from bridge.commands.pairing import pair
from bridge.commands.parse import NAMES, nearest, parse
from bridge.commands.usage import usage
from bridge.errors import AgentError, MemoryFailed
from bridge.ports import CommandInfo
from bridge.texts import CATALOGUE, Sentence, say


@dataclass(frozen=True, slots=True)
class Command:
    """A function from who asks and the rest of the line to the answer, and its line in the menu."""

    run: Callable[[CommandContext, str], Awaitable[str | CommandAnswer]]
    about: Sentence


COMMANDS = {
    "new": Command(new, Sentence.ABOUT_NEW),
    "stop": Command(stop, Sentence.ABOUT_STOP),
    "retry": Command(retry, Sentence.ABOUT_RETRY),
    "busy": Command(busy, Sentence.ABOUT_BUSY),
    "status": Command(status, Sentence.ABOUT_STATUS),
    "models": Command(models, Sentence.ABOUT_MODELS),
    "agents": Command(agents, Sentence.ABOUT_AGENTS),
    "usage": Command(usage, Sentence.ABOUT_USAGE),
    "memory": Command(memory, Sentence.ABOUT_MEMORY),
    "link": Command(link, Sentence.ABOUT_LINK),
    "unlink": Command(unlink, Sentence.ABOUT_UNLINK),
    "language": Command(language, Sentence.ABOUT_LANGUAGE),
    "pair": Command(pair, Sentence.ABOUT_PAIR),
    "whoami": Command(whoami, Sentence.ABOUT_WHOAMI),
    "help": Command(help_text, Sentence.ABOUT_HELP),
}
assert tuple(COMMANDS) == NAMES  # noqa: S101 - parse.py tells talk from commands without importing them


def command_infos() -> tuple[CommandInfo, ...]:
    """Every command in every language, English also as the default, for platforms with a menu."""
    return tuple(
        CommandInfo(name, say(tongue, command.about), "" if tongue == "en" else tongue)
        for tongue in CATALOGUE
        for name, command in COMMANDS.items()
    )


async def run_command(context: CommandContext) -> CommandAnswer:
    """The answer to a command. Raises StoreUnavailable."""
    answer = await _answer(context)
    return answer if isinstance(answer, CommandAnswer) else CommandAnswer(answer)


async def _answer(context: CommandContext) -> str | CommandAnswer:
    parsed = parse(context.message.text)
    name, rest = parsed if parsed is not None else ("help", "")
    command = COMMANDS.get(name)
    if command is None:
        return context.say(Sentence.COMMAND_MEANT, name=name, meant=nearest(name))
    try:
        return await command.run(context, rest)
    except (AgentError, MemoryFailed) as error:
        return context.say(Sentence.COMMAND_FAILED, name=name, reason=error.user_text)
