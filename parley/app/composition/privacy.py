"""Everything about one person, out of what was built: for the console, and the command line without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

from parley.app.composition.embedded.personal_data import McpAccounts, workspace_files
from parley.app.reload.current_state import CurrentState
from parley.app.settings.channel_registry import channel_package
from parley.app.settings.load import LoadedSettings
from parley.channels.kit.config import ChannelConfig
from parley.core.ports.channel import Channel
from parley.core.ports.store_admin import StoreAdmin
from parley.core.privacy.conversation_deletion import ConversationDeletion
from parley.core.privacy.service import PrivacyService
from parley.core.privacy.sources import AgentThreads, AuditOnErase, DataSources, PersonalDataStore
from parley.core.services import CoreServices

MakeChannel = Callable[[str, ChannelConfig], Channel]


def build_privacy_service(
    current: CurrentState,
    services: CoreServices,
    archive: StoreAdmin,
    threads: AgentThreads,
    make: MakeChannel,
) -> PrivacyService:
    """Build the service. `make` makes channels that are off: what they kept is there all the same."""
    return PrivacyService(
        DataSources(
            archive=archive,
            memory=services.memory,
            people=services.people,
            pairing=services.pairing,
            conversations=services.conversations,
            threads=threads,
            channels=lambda: [
                *_keeping(current.loaded(), current.channels, make),
                McpAccounts(current.loaded()),
            ],
            files=services.files,
            audit=AuditOnErase(current.loaded().settings.retention.audit_on_erase),
            zone=services.options.limits.zone,
            clock=services.clock,
            shared=services.news.shared,
            told=tuple(services.options.feedback_destinations),
            past_turns=services.past_turns,
            memory_controls=services.memory_controls,
            thread_files=workspace_files(current.loaded()),
        )
    )


def build_conversation_deletion(
    services: CoreServices, archive: StoreAdmin, threads: AgentThreads
) -> ConversationDeletion:
    """Build what removes the words of conversations that were deleted."""
    return ConversationDeletion(
        archive, threads, services.conversations, services.files, services.quarantine, services.past_turns
    )


def _keeping(
    loaded: LoadedSettings, channels: Mapping[str, Channel], make: MakeChannel
) -> Sequence[PersonalDataStore]:
    """Return the channels that keep things by themselves: those have a module `privacy`."""
    kinds = ((name, channel_package(plan.kind)) for name, plan in loaded.plans.items())
    names = [name for name, package in kinds if find_spec(f"{package}.privacy") is not None]
    found = [channels.get(name) or make(name, loaded.plans[name].config) for name in names]
    return [channel for channel in found if isinstance(channel, PersonalDataStore)]
