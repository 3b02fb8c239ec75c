"""What is wrong with settings that can be read: seen without asking anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from parley.app.checks.built_in import built_in_mistakes, unreachable_sign_ins
from parley.app.settings.channel_sections import ChannelPlan
from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.problems import ConfigProblem, Path, suggest
from parley.app.settings.schema.built_in import BuiltInSection
from parley.app.settings.schema.model import Settings
from parley.channels.kit.config import ChannelConfig, ChannelSession, Section, SessionConfig

TRUST_REMEDY = "install its authority's certificate (the package ca-certificates), or set SSL_CERT_FILE to it"
DEFAULT_ASSISTANT = "agent"
"""What the embedded server calls the graph that serves where none are given."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What keeps something from working, what merely has no effect, and what was found to be well.

    Mistakes are mended; remarks may stand. `who` is as whom a platform knows us, where one was asked.
    """

    mistakes: tuple[ConfigProblem, ...] = ()
    remarks: tuple[ConfigProblem, ...] = ()
    known: tuple[str, ...] = ()
    who: str = ""

    def __add__(self, more: Findings) -> Findings:
        # What two checks find is one mistake.
        mistakes = tuple(dict.fromkeys(self.mistakes + more.mistakes))
        return Findings(mistakes, self.remarks + more.remarks, self.known + more.known, more.who or self.who)


@dataclass(frozen=True, slots=True)
class _Idle:
    """Keys of a section that do nothing when another setting says so."""

    section: str
    keys: tuple[str, ...]
    when: Callable[[Settings], bool]
    text: str


_IDLE = (
    _Idle(
        "agent",
        ("graphs", "model", "base_url", "report_tokens"),
        lambda settings: not settings.agent.embedded,
        "does nothing: the agent runs at agent.url; remove it, or write url: embedded",
    ),
    _Idle(
        "agent",
        ("headers",),
        lambda settings: settings.agent.embedded,
        "does nothing: it is for a server at agent.url; remove it, or write the server's address there",
    ),
    _Idle(
        "agent",
        ("gateway_url",),
        lambda settings: not settings.agent.asks_gateway,
        "is not asked: models are named here already; remove it, or agent.models",
    ),
    _Idle(
        "built_in",
        tuple(BuiltInSection.model_fields),
        lambda settings: not (settings.agent.built_in and settings.agent.model),
        "does nothing: it is for the built-in agent with a model; write agent.model, or remove this",
    ),
    _Idle(
        "memory",
        ("assistant", "model_name", "base_url", "embedding", "prompts_dir"),
        lambda settings: not settings.memory.enabled,
        "does nothing with memory.enabled: false; remove it, or write true there",
    ),
    _Idle(
        "memory",
        ("base_url", "temperature"),
        lambda settings: bool(settings.memory.assistant),
        "does nothing: memory.assistant learns, with a model of its own; remove this, or memory.assistant",
    ),
    _Idle(
        "memory",
        ("storage_path",),
        lambda settings: settings.memory_in_store,
        "does nothing: memories are in the store; remove it, or write memory.storage: files",
    ),
    _Idle(
        "memory",
        ("similarity_weight", "confidence_weight"),
        lambda settings: settings.memory.ranking != "weighted",
        "does nothing without memory.ranking: weighted; write that, or remove this",
    ),
    _Idle(
        "memory",
        ("embedding_model",),
        lambda settings: not settings.memory.embedding.startswith("http"),
        "does nothing: it is for a service at memory.embedding; write its address there, or remove this",
    ),
    _Idle(
        "store",
        ("listen_url", "lease", "node"),
        lambda settings: settings.store.embedded,
        "does nothing with SQLite; write store.url: postgresql://..., or remove this",
    ),
)


def check_settings(loaded: LoadedSettings) -> Findings:
    """Return everything that can be seen in the settings alone."""
    mistakes = [*_assistants(loaded), *built_in_mistakes(loaded), *_halves(loaded), *_ids(loaded)]
    remarks = [*_idle(loaded), *unreachable_sign_ins(loaded)]
    remarks += [ConfigProblem((), text) for text in (loaded.project.remarks if loaded.project else ())]
    for name, config in loaded.channels.items():
        for doubt in config.problems():
            (mistakes if doubt.wrong else remarks).append(
                problem_at(loaded, ("channels", name, doubt.key), doubt.text)
            )
    return Findings(_in_order(mistakes), _in_order(remarks))


def problem_at(loaded: LoadedSettings, path: Path, text: str, *also: Path) -> ConfigProblem:
    """Return a mistake at the line of its path."""
    return ConfigProblem(path, text, loaded.source.line(path), also)


def named_assistants(loaded: LoadedSettings) -> dict[Path, str]:
    """Return the assistants that the settings name, by their places."""
    agent, session = loaded.settings.agent, loaded.settings.session
    first: Path = ("session", "assistant_id") if session.assistant_id else ("agent", "assistant")
    found: dict[Path, str] = {first: session.assistant_id or agent.assistant}
    if loaded.settings.memory.enabled and loaded.settings.memory.assistant:
        found["memory", "assistant"] = loaded.settings.memory.assistant
    for path, each in _sessions(loaded):
        if each.assistant_id:
            found[(*path, "assistant_id")] = each.assistant_id
    return found


def _sessions(loaded: LoadedSettings) -> Iterator[tuple[Path, SessionConfig]]:
    """Yield the sessions of channels, of their chats, and of people in them, by their places."""
    for name, config in loaded.channels.items():
        section: Path = ("channels", name)
        sessions: dict[Path, ChannelSession] = {(*section, "session"): config.session}
        sessions |= {(*section, "chats", chat, "session"): own.session for chat, own in config.chats.items()}
        for where, everybody in sessions.items():
            yield where, everybody
            yield from (((*where, "users", user), own) for user, own in everybody.users.items())


def unknown_assistant(loaded: LoadedSettings, path: Path, name: str, known: tuple[str, ...]) -> ConfigProblem:
    """Return that the agent server has no such assistant, and which it has."""
    near = suggest(name, known).removeprefix("unknown key; ").replace("known here", "there are")
    return problem_at(loaded, path, f'the agent server has no assistant "{name}"; {near}')


def _assistants(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Look at the names of graphs that we run ourselves; ids of theirs are seen by the server only."""
    agent = loaded.settings.agent
    if not agent.embedded:
        return
    known = tuple(agent.graphs) or (DEFAULT_ASSISTANT,)
    for path, name in named_assistants(loaded).items():
        if name not in known and name.count("-") != 4:
            yield unknown_assistant(loaded, path, name, known)


def _halves(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Look for channels that are off although somebody gave them a part of their credentials."""
    for name, plan in loaded.plans.items():
        given = [key for key in plan.config.credentials() if getattr(plan.config, key)]
        if plan.off and plan.config.enabled is not False and given:
            yield problem_at(loaded, ("channels", name, plan.config.missing()), _half(name, plan, given))


def _half(name: str, plan: ChannelPlan, given: list[str]) -> str:
    why = plan.off if plan.off.startswith("$") else "is empty"
    there = " and ".join(given)
    return f"{why}, so {name} is off although its {there} is there; write both, or enabled: false"


def _ids(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Look for ids that nobody on the platform can have."""
    for name, config in loaded.channels.items():
        form = config.user_ids
        for path, user in _named(name, config) if form else ():
            if form and user != "*" and not form.fits(user):
                yield problem_at(loaded, path, f'"{user[:40]}" is nobody\'s id; write {form.words}')


def _named(name: str, config: ChannelConfig) -> Iterator[tuple[Path, str]]:
    """Yield the user ids of a channel's section, and where each stands."""
    where: Path = ("channels", name)
    lists: dict[Path, tuple[str, ...]] = {
        (*where, "allowed_users"): config.allowed_users,
        (*where, "admins"): config.admins,
    }
    for chat, own in config.chats.items():
        lists[(*where, "chats", chat, "allowed_users")] = own.allowed_users or ()
        yield from (((*where, "chats", chat, "session", "users", user), user) for user in own.session.users)
    for path, users in lists.items():
        yield from (((*path, position), user) for position, user in enumerate(users))
    yield from (((*where, "session", "users", user), user) for user in config.session.users)


def _idle(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    for idle in _IDLE:
        section: Section = getattr(loaded.settings, idle.section)
        if not idle.when(loaded.settings):
            continue
        for key in idle.keys:
            field = type(section).model_fields[key]
            if getattr(section, key) != field.get_default(call_default_factory=True):
                yield problem_at(loaded, (idle.section, key), idle.text)


def _in_order(found: list[ConfigProblem]) -> tuple[ConfigProblem, ...]:
    return tuple(sorted(found, key=lambda each: each.line))
