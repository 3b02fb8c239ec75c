"""The assistants of an agent server: which there are, and what its runs call them."""

from __future__ import annotations

from uuid import UUID

from langgraph_sdk.client import LangGraphClient

from parley.agent.transport.decoding import string
from parley.agent.transport.error_mapping import AgentMissing, map_errors
from parley.agent.transport.json_schema import schema_fields
from parley.core.model.errors import AgentRefused
from parley.core.model.types import Json
from parley.core.ports.agent import AssistantInfo

_MOST, _PAGE = 1000, 100
_UNNAMED = "Untitled"
"""What the official server calls one that was made without a name."""
_ALONE = {"connection": "close"}
"""On a connection of its own: a server that cannot tell schemas breaks, and closes it without saying so."""


class AssistantDirectory:
    """Finds assistants by graph, name or id.

    A run may name a graph or an id. A configured assistant of the official server has a name that people
    know and an id that only runs take; DeerFlow's agents have their names as ids.
    """

    def __init__(self, client: LangGraphClient) -> None:
        self._client = client
        self._ids: dict[str, str] = {}

    def called(self, assistant: str) -> str:
        """Return what a run is to name for this assistant, as far as it is known."""
        return self._ids.get(assistant, assistant)

    async def learn(self, assistant: str) -> bool:
        """Look for the id of an assistant that a run may not name; False where there is no other way.

        Raises AgentRefused where several have its name.
        """
        if assistant in self._ids or _is_id(assistant):
            return False
        named = (each for each in await self._search(name=assistant) if string(each.get("name")) == assistant)
        # Where its graph has the same name, the run named it rightly, and is refused for something else.
        found = [string(each.get("assistant_id")) for each in named if each.get("graph_id") != assistant]
        known = list(dict.fromkeys(each for each in found if each))
        if not known or assistant in known:
            return False
        if len(known) > 1:
            ids = ", ".join(known)
            raise AgentRefused(f"several assistants are called {assistant}: name one by its id ({ids})")
        self._ids[assistant] = known[0]
        return True

    async def context_fields(self, assistant: str) -> frozenset[str]:
        """The fields that an assistant's graph declares for its run context."""
        return frozenset(schema_fields((await self.schemas(assistant)).get("context_schema")))

    async def schemas(self, assistant: str) -> dict[str, Json]:
        """What an assistant's graph takes, gives, and wants to know of a run."""
        identity = await self._id_of(assistant)
        with map_errors("read an assistant's schemas"):
            return _record(await self._client.assistants.get_schemas(identity, headers=_ALONE))

    async def drawing(self, assistant: str) -> dict[str, Json]:
        """The nodes and edges of an assistant's graph; nothing where the server does not tell them."""
        identity = await self._id_of(assistant)
        try:
            with map_errors("read an assistant's graph"):
                return _record(await self._client.assistants.get_graph(identity, headers=_ALONE))
        except AgentMissing:
            return {}

    async def _id_of(self, assistant: str) -> str:
        """The official server tells of an assistant by its id only, where a run may name its graph."""
        if _is_id(assistant := self.called(assistant)):
            return assistant
        found = await self._search(graph_id=assistant, limit=1)
        return next((string(each.get("assistant_id")) for each in found), "") or assistant

    async def knows(self, assistant: str) -> bool | None:
        """Tell whether there is this graph, name or id; None where the server does not say."""
        if _is_id(assistant):
            try:
                with map_errors("look for an assistant"):
                    return bool(await self._client.assistants.get(assistant))
            except AgentMissing:
                return False
        try:
            # Not by a search for it: the official server answers 404 to that for an unknown graph.
            there = await self.all()
        except AgentMissing:
            return None
        if any(assistant in each.names for each in there):
            return True
        return False if 0 < len(there) < _MOST else None

    async def all(self) -> tuple[AssistantInfo, ...]:
        """Return all: those that the server made of its graphs, and those that somebody configured."""
        found: list[dict[str, Json]] = []
        while len(found) < _MOST:
            page = await self._search(limit=_PAGE, offset=len(found))
            found += page
            if len(page) < _PAGE:
                break
        infos = (_info(each) for each in found)
        return tuple(dict.fromkeys(each for each in infos if each.target))

    async def _search(
        self, *, graph_id: str = "", name: str = "", limit: int = _PAGE, offset: int = 0
    ) -> list[dict[str, Json]]:
        with map_errors("list the assistants"):
            found: object = await self._client.assistants.search(
                graph_id=graph_id or None, name=name or None, limit=limit, offset=offset
            )
        return [_record(each) for each in found] if isinstance(found, list) else []


def _info(assistant: dict[str, Json]) -> AssistantInfo:
    """Return what a person may call it: a configured one by its name, any other by its graph."""
    own, name = string(assistant.get("assistant_id")), string(assistant.get("name"))
    graph = string(assistant.get("graph_id"))
    made_by_server = _record(assistant.get("metadata")).get("created_by") == "system"
    if graph and own != name and (made_by_server or name in ("", graph)):
        return AssistantInfo(graph, graph, graph, own)
    return AssistantInfo(own or graph or name, own if name in ("", _UNNAMED) else name, graph, own)


def _is_id(assistant: str) -> bool:
    try:
        UUID(assistant)
    except ValueError:
        return False
    return True


def _record(value: object) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
