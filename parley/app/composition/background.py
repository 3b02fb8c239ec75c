"""What goes on beside the channels and the turns: upkeep of what is kept, and looks at what it stands on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial

from parley.agent.files.reader import FileReader
from parley.app.checks.assistants import warn_missing_assistants
from parley.app.composition.agent import OpenedAgent
from parley.app.monitoring.file_descriptors import watch_descriptors
from parley.app.reload.current_state import CurrentState
from parley.app.settings.load import LoadedSettings
from parley.app.settings.schema.retention import RetentionSection
from parley.app.storage.database_watch import make_database_watch
from parley.app.storage.paths import FILES
from parley.app.storage.retention_job import run_retention
from parley.core.services import CoreServices
from parley.core.state.team_speakers import keep_team_speakers


def background_work(
    loaded: LoadedSettings, current: CurrentState, services: CoreServices, opened: OpenedAgent
) -> Sequence[Callable[[], Coroutine[None, None, None]]]:
    """Return the upkeep, the looks at the machine, and what goes on around the agent."""
    looks = (watch_descriptors, make_database_watch(loaded), FileReader().tell_protection)
    speakers = partial(keep_team_speakers, services.team_chats, services.memory, services.clock)
    return (_upkeep(loaded, current, services), speakers, *looks, *_on_agent(loaded, opened))


def _upkeep(
    loaded: LoadedSettings, current: CurrentState, services: CoreServices
) -> Callable[[], Coroutine[None, None, None]]:
    files = loaded.data_dir / FILES

    def retention() -> RetentionSection:
        return current.loaded().settings.retention

    past = services.past_turns
    return partial(run_retention, services.journal, files, retention, services.clock, current.rules, past)


def _on_agent(
    loaded: LoadedSettings, opened: OpenedAgent
) -> Sequence[Callable[[], Coroutine[None, None, None]]]:
    """Return what serves its tools, and looks for its assistants: those of the embedded server are known."""
    serving, look = opened.tools.endpoint.run, partial(warn_missing_assistants, loaded, opened.agent)
    return (serving,) if loaded.settings.agent.embedded else (serving, look)
