"""Everything about one person, out of what was built: for the console, and the command line without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

from parley.app.settings.load import Loaded
from parley.channels.kit.config import ChannelConfig
from parley.core.erasing.archive import Archive
from parley.core.erasing.desk import PersonDesk
from parley.core.erasing.sources import AuditOnErase, Keeping, Sources, Threads
from parley.core.ports import Channel
from parley.core.services import Services

MakeChannel = Callable[[str, ChannelConfig], Channel]


def person_desk(
    loaded: Loaded, services: Services, archive: Archive, threads: Threads, make: MakeChannel
) -> PersonDesk:
    """The desk. `make` makes channels that are off: what they kept is there all the same."""
    return PersonDesk(
        Sources(
            archive=archive,
            memory=services.memory,
            people=services.people,
            pairing=services.pairing,
            conversations=services.conversations,
            threads=threads,
            channels=lambda: _keeping(loaded, services.channels, make),
            files=services.files,
            audit=AuditOnErase(loaded.settings.retention.audit_on_erase),
            zone=services.options.limits.zone,
            clock=services.clock,
            shared=services.news.shared,
        )
    )


def _keeping(loaded: Loaded, channels: Mapping[str, Channel], make: MakeChannel) -> Sequence[Keeping]:
    """The channels that keep things by themselves: those have a module `keeping`."""
    names = [name for name in loaded.plans if find_spec(f"parley.channels.{name}.keeping") is not None]
    found = [channels.get(name) or make(name, loaded.plans[name].config) for name in names]
    return [channel for channel in found if isinstance(channel, Keeping)]
