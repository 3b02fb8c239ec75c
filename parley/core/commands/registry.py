"""The table of commands, and running one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from parley.core.commands.busy import busy
from parley.core.commands.context import CommandAnswer, CommandContext
from parley.core.commands.conversation import new, retry, stop
from parley.core.commands.feedback import feedback
from parley.core.commands.help_status import help_text, status, whoami
from parley.core.commands.language import language
from parley.core.commands.linking import link, unlink
from parley.core.commands.memory.command import memory
from parley.core.commands.models_agents import agents, models
from parley.core.commands.pairing import pair
from parley.core.commands.usage import usage
from parley.core.model.command_syntax import COMMAND_NAMES, nearest_command, parse_command
from parley.core.model.errors import AgentError, MemoryFailed
from parley.core.ports.channel import CommandInfo
from parley.core.texts import CATALOGUE, Sentence, say


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
    "feedback": Command(feedback, Sentence.ABOUT_FEEDBACK),
    "memory": Command(memory, Sentence.ABOUT_MEMORY),
    "link": Command(link, Sentence.ABOUT_LINK),
    "unlink": Command(unlink, Sentence.ABOUT_UNLINK),
    "language": Command(language, Sentence.ABOUT_LANGUAGE),
    "pair": Command(pair, Sentence.ABOUT_PAIR),
    "whoami": Command(whoami, Sentence.ABOUT_WHOAMI),
    "help": Command(help_text, Sentence.ABOUT_HELP),
}
assert tuple(COMMANDS) == COMMAND_NAMES  # noqa: S101 - parse.py tells talk from commands without importing them


def command_infos() -> tuple[CommandInfo, ...]:
    """Return every command in every language, English also as the default, for platforms with a menu."""
    return tuple(
        CommandInfo(name, say(tongue, command.about), "" if tongue == "en" else tongue)
        for tongue in CATALOGUE
        for name, command in COMMANDS.items()
    )


async def run_command(context: CommandContext) -> CommandAnswer:
    """Return the answer to a command. Raises StoreUnavailable."""
    answer = await _answer(context)
    return answer if isinstance(answer, CommandAnswer) else CommandAnswer(answer)


async def _answer(context: CommandContext) -> str | CommandAnswer:
    parsed = parse_command(context.message.text)
    name, rest = parsed if parsed is not None else ("help", "")
    command = COMMANDS.get(name)
    if command is None:
        return context.say(Sentence.COMMAND_MEANT, name=name, meant=nearest_command(name))
    try:
        return await command.run(context, rest)
    except (AgentError, MemoryFailed) as error:
        return context.say(Sentence.COMMAND_FAILED, name=name, reason=error.user_text)
