"""The routes of the operator's API, each on its part of a running Parley."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from starlette.routing import BaseRoute

from parley.app.composition.memory import page_person
from parley.app.openapi.route import openapi_routes
from parley.console.api.dead_letters import letter_routes
from parley.console.api.feedback import feedback_routes
from parley.console.api.memory import memory_routes
from parley.console.api.memory_controls import MemoryInHand, memory_control_routes
from parley.console.api.models import model_routes
from parley.console.api.pairing import pairing_routes
from parley.console.api.privacy import privacy_routes
from parley.core.commands.memory.told import ToldMemoryReader
from parley.core.commands.models_agents import offered_models
from parley.core.dead_letters import DeadLetters
from parley.core.model.options import ChannelOptions
from parley.core.privacy.service import PrivacyService
from parley.core.services import CoreServices
from parley.memory.service import MemoryService


def api_routes(
    services: CoreServices,
    memory: MemoryService,
    rules: Mapping[str, ChannelOptions],
    people: PrivacyService,
    letters: DeadLetters,
) -> Sequence[BaseRoute]:
    """Return the routes; `rules` are those of each channel at the moment of a request."""
    own = partial(page_person, services.people)
    page = partial(_page_models, services, rules)
    told = ToldMemoryReader(services.conversations, services.people, memory.controls, rules)
    return [
        *memory_routes(memory.admin, own),
        *memory_control_routes(MemoryInHand(memory, memory.controls, told.read_for), own),
        *pairing_routes(services.pairing),
        *privacy_routes(people, services.files),
        *letter_routes(letters),
        *openapi_routes(),
        *feedback_routes(services.journal),
        *model_routes(page),
    ]


async def _page_models(services: CoreServices, rules: Mapping[str, ChannelOptions]) -> Sequence[str]:
    """Return the models that people on the chat page may choose from; without the page, all there are."""
    page = rules.get("web")
    return await (offered_models(services.agent, page) if page else services.agent.models())
