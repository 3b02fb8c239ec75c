"""The first set-up as the page walks through it: the steps of `parley init`, one request each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from parley.app.process.logs import hide_secrets
from parley.app.settings.channel_registry import channel_config, credential_channels, registering_channels
from parley.app.setup.agents import (
    NO_KEY,
    found_project,
    use_demonstration,
    use_model,
    use_project,
    use_server,
)
from parley.app.setup.draft import Draft, variable_name
from parley.app.setup.guides import read_guide
from parley.app.setup.probes import SetupProbe, list_assistants, probe_channel, probe_run
from parley.app.setup.waiting import SetupWaiting, person_name
from parley.channels.kit.registration import RegisteredApp
from parley.console.api.setup import SetupAgentBody
from parley.console.api.setup_state import SetupAgent, SetupKey, SetupPlatform, SetupState
from parley.core.model.errors import ConfigError, ParleyError
from parley.core.model.types import InboundMessage
from parley.core.texts import SETUP_CATALOGUE, SetupSentence, language_of

_SHORTEST_SECRET = 6

Restart = Callable[[Sequence[InboundMessage]], None]
"""Has Parley started again; the messages wait for an answer."""


@dataclass(frozen=True, slots=True)
class _Progress:
    """What was chosen so far, and what is shown of it; all of it is in memory until it is written."""

    draft: Draft
    changes: Sequence[str]
    agents: Sequence[SetupAgent]
    channels: Mapping[str, SetupProbe]
    admins: Mapping[str, str]
    messages: Sequence[InboundMessage] = ()
    agent: SetupAgent | None = None
    agent_answer: str = ""

    @classmethod
    def begin(cls, draft: Draft) -> _Progress:
        """Return the beginning. Raises ConfigError."""
        return cls(draft, (), _choices(draft), {}, {}).with_draft(draft)

    def with_draft(self, draft: Draft) -> _Progress:
        """Return it with another draft."""
        return replace(self, draft=draft, changes=tuple(draft.changes()))


class SetupSession:
    """Holds what somebody enters until it is written. One step at a time; every tab shows the same."""

    def __init__(self, open_draft: Callable[[], Draft], restart: Restart) -> None:
        self._open_draft = open_draft
        self._restart = restart
        self._lock = asyncio.Lock()
        self._waiting = SetupWaiting()
        self._known: _Progress | None = None
        self._written: Sequence[str] = ()

    def state(self, language: str) -> SetupState:
        """Return what there is so far. Raises ConfigError."""
        language, at, waiting = language_of(language), self._progress(), self._waiting
        problem = waiting.problem
        if isinstance(problem, SetupSentence):
            problem = SETUP_CATALOGUE[language][problem]
        return SetupState(
            open=True,
            platforms=[_platform(at, name, language) for name in credential_channels()],
            agents=at.agents,
            agent=at.agent,
            agent_answer=at.agent_answer,
            scan=waiting.scan,
            wait=waiting.wait,
            problem=problem,
            changes=at.changes,
            written=self._written,
        )

    async def try_channel(self, channel: str, keys: Mapping[str, str], server: str) -> None:
        """Ask the platform whether it accepts these, and keep them if it does. Raises ParleyError."""
        async with self._lock:
            at = self._unwritten()
            draft = _with_channel(at.draft, channel, keys, server)
            found = await probe_channel(draft, channel)
            if not found.works:
                raise ParleyError("; ".join(found.problems))
            self._keep_channel(at, draft, channel, found)

    async def begin_scan(self, channel: str, server: str) -> None:
        """Have an app made by whoever scans its QR code. Raises ParleyError."""
        self._unwritten()
        await self._waiting.scan_for(channel, server, partial(self._take_app, channel, server))

    async def begin_wait(self, channel: str) -> None:
        """Wait for the first message to the bot of a channel that was accepted. Raises ParleyError."""
        at = self._unwritten()
        if channel not in at.channels:
            raise ConfigError(f"{channel[:100]} is not set up yet")
        await self._waiting.hear(channel, at.draft.loaded())

    async def confirm_admin(self, mine: bool) -> None:
        """Make whoever wrote the administrator, or go on waiting. Raises ParleyError."""
        async with self._lock:
            at, message, waiting = self._unwritten(), self._waiting.message, self._waiting.wait
            if message is None or waiting is None:
                raise ParleyError("Nobody has written yet.")
            if not mine:
                await self.begin_wait(waiting.channel)
                return
            known = at.with_draft(at.draft.add_admin(waiting.channel, message.sender.id))
            admins = {**at.admins, waiting.channel: person_name(message)}
            self._known = replace(known, admins=admins, messages=(*at.messages, message))
            await self._waiting.end()

    async def end_waiting(self) -> None:
        """End a scan or a wait."""
        await self._waiting.end()

    async def list_assistants(self, url: str, key: str) -> Sequence[str]:
        """Return the names of a server's assistants. Raises ParleyError."""
        _hide(key)
        draft = use_server(self._unwritten().draft, url, "", key)
        return list(dict.fromkeys(each.name for each in await list_assistants(draft)))

    async def try_agent(self, chosen: SetupAgentBody) -> None:
        """Say hello to the agent, and keep it if it answers. Raises ParleyError."""
        _hide(chosen.key)
        async with self._lock:
            at = self._unwritten()
            draft, found = _with_agent(at.draft, chosen), SetupProbe(works=True)
            if chosen.kind != "demonstration":
                found = await probe_run(draft)
            if not found.works:
                raise ParleyError("; ".join(found.problems))
            agent = SetupAgent(chosen.kind, chosen.name)
            self._known = replace(at.with_draft(draft), agent=agent, agent_answer=found.found)

    async def write(self) -> None:
        """Write both files, or neither, and have Parley started again. Raises ParleyError."""
        async with self._lock:
            at = self._unwritten()
            await self._waiting.end()
            copies = at.draft.write()
            names = [at.draft.file, *([at.draft.env_file] if at.draft.variables else []), *copies]
            self._written = [str(each) for each in names]
            self._restart(at.messages)

    async def forget(self) -> None:
        """Begin again. Raises ConfigError."""
        async with self._lock:
            self._unwritten()
            await self._waiting.end()
            self._known = None

    async def _take_app(self, channel: str, server: str, app: RegisteredApp) -> None:
        """Keep a new app at once, whatever the platform says of it: nobody sees its secret again."""
        async with self._lock:
            at = self._unwritten()
            draft = _with_channel(at.draft, channel, app.keys, server)
            self._keep_channel(at, draft, channel, SetupProbe(works=True))
            self._keep_channel(at, draft, channel, await probe_channel(draft, channel))
            await self._waiting.end()

    def _keep_channel(self, at: _Progress, draft: Draft, channel: str, found: SetupProbe) -> None:
        self._known = replace(at.with_draft(draft), channels={**at.channels, channel: found})

    def _progress(self) -> _Progress:
        if self._known is None:
            self._known = _Progress.begin(self._open_draft())
        return self._known

    def _unwritten(self) -> _Progress:
        if self._written:
            raise ParleyError("It is written already; Parley is starting again.")
        return self._progress()


def _with_channel(draft: Draft, channel: str, keys: Mapping[str, str], server: str) -> Draft:
    """Return the draft with a channel's credentials: those given, and those of the environment."""
    if channel not in credential_channels():
        raise ConfigError(f"there is no platform {channel[:100]}")
    config = channel_config(channel)
    wanted = {key: variable_name(channel, key) for key in config().credentials()}
    given = {key: draft.environ[name] for key, name in wanted.items() if draft.environ.get(name)}
    values = {key: value for key, value in keys.items() if value and key in config.model_fields} | given
    if not values and channel in draft.loaded().channels:
        return draft
    if lacking := [name for key, name in wanted.items() if not values.get(key)]:
        raise ConfigError(f"{channel} needs {' and '.join(lacking)}")
    _hide(*(value for key, value in values.items() if _is_secret(key)))
    return draft.add_channel(channel, values, server)


def _with_agent(draft: Draft, chosen: SetupAgentBody) -> Draft:
    if chosen.kind == "model":
        return use_model(draft, chosen.name, chosen.key or (NO_KEY if chosen.url else ""), chosen.url)
    if chosen.kind == "server":
        return use_server(draft, chosen.url, chosen.name, chosen.key)
    if chosen.kind == "project":
        return use_project(draft, chosen.name)
    return use_demonstration(draft)


def _choices(draft: Draft) -> Sequence[SetupAgent]:
    """Return what may answer; the first is what answers now."""
    project = found_project(draft)
    own = [SetupAgent("project", name) for name in project.graphs] if project else []
    return (*(own or [SetupAgent("demonstration")]), SetupAgent("model"), SetupAgent("server"))


def _platform(at: _Progress, name: str, language: str) -> SetupPlatform:
    guide, found = read_guide(name, language), at.channels.get(name)
    return SetupPlatform(
        name,
        guide.title,
        by_qr=name in registering_channels(),
        keys=[_key(at.draft, name, key) for key in channel_config(name)().credentials()],
        steps=guide.steps,
        rights=guide.rights,
        greet=guide.greet,
        accepted=found is not None,
        connected=found is not None and found.works,
        found=found.found if found else "",
        lacking=found.problems if found else (),
        admin=at.admins.get(name, ""),
    )


def _key(draft: Draft, channel: str, key: str) -> SetupKey:
    variable = variable_name(channel, key)
    return SetupKey(key, variable, _is_secret(key), given=bool(draft.environ.get(variable)))


def _is_secret(key: str) -> bool:
    return key.endswith(("token", "secret"))


def _hide(*secrets: str) -> None:
    """Keep these out of the log."""
    hide_secrets(frozenset(each for each in secrets if len(each) >= _SHORTEST_SECRET))
