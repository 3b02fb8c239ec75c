"""`@auth.on` of the SDK: nobody sees, changes or uses what the handlers do not let them."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from langgraph_sdk.auth import types
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError, PermissionDeniedError
from starlette.applications import Starlette

from parley.server.app import create_app
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import DefaultAgentOptions, EmbeddedOptions
from parley.server.routes.api_route import ApiRoute
from parley.server.workspace.workspaces import Workspaces
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.unit.server.test_app import HI

# The handlers that the SDK's own documentation shows, and a list of what they were asked.
OWNERS = """
from langgraph_sdk import Auth

auth = Auth()
asked = []


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]):
    name = headers[b"x-name"].decode()
    return {"identity": name, "permissions": ["admin"] if name == "root" else [], "team": "blue"}


@auth.on
async def own(ctx: Auth.types.AuthContext, value):
    asked.append((ctx, dict(value)))
    if ctx.user.identity == "root":
        return True
    metadata = value.setdefault("metadata", {})
    metadata["owner"] = ctx.user.identity
    return {"owner": ctx.user.identity}


@auth.on.store
async def scope(ctx: Auth.types.AuthContext, value):
    asked.append((ctx, dict(value)))
    value["namespace"] = (ctx.user.identity, *(value["namespace"] or ()))


@auth.on.assistants.delete
async def only_admins(ctx: Auth.types.AuthContext, value):
    asked.append((ctx, dict(value)))
    assert "admin" in ctx.permissions, "ask an administrator"
    return ctx.user["team"] == "blue" and ctx.user.team == "blue"
"""

Clients = Callable[[str], LangGraphClient]


@dataclass
class Scene:
    """A server, and clients of it by who they are."""

    app: Starlette
    clients: Clients
    spaces: Workspaces

    def http(self, name: str) -> httpx.AsyncClient:
        return self.clients(name).http.client


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    (tmp_path / "owner_rules.py").write_text(OWNERS)
    spaces = Workspaces(tmp_path / "workspaces")
    options = EmbeddedOptions(
        tmp_path / "agent.sqlite",
        {"echo": graphs.echo, "ask": graphs.ask},
        auth=f"{tmp_path / 'owner_rules.py'}:auth",
        default_agent=DefaultAgentOptions(workspaces=spaces),
    )
    app = create_app(options)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        made: dict[str, LangGraphClient] = {}
        for name in ("ada", "eve", "root"):
            http = httpx.AsyncClient(
                transport=StreamingASGITransport(app),
                base_url="http://x",
                headers={"x-name": name},
                timeout=patience(30),
            )
            made[name] = LangGraphClient(await stack.enter_async_context(http))
        yield Scene(app, made.__getitem__, spaces)


def asked_of(tmp_path: Path) -> list[tuple[types.AuthContext, dict[str, Any]]]:
    found = [
        module
        for module in sys.modules.values()
        if getattr(module, "__file__", None) == str(tmp_path / "owner_rules.py")
    ]
    return found[0].asked  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Owned:
    """What somebody has of each kind."""

    thread: str
    run: str
    assistant: str
    cron: str

    def ids(self) -> set[str]:
        return {self.thread, self.run, self.assistant, self.cron}


async def things_of(client: LangGraphClient) -> Owned:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "echo", input=HI)
    await client.runs.join(thread, run["run_id"])
    assistant = (await client.assistants.create("echo", name="Mine", metadata={"a": 1}))["assistant_id"]
    cron: Any = await client.crons.create_for_thread(thread, assistant, schedule="0 0 1 1 *", input=HI)
    await client.store.put_item(["notes"], "secret", {"of": "ada"})
    upload = await client.http.client.post(f"/threads/{thread}/uploads", files={"files": ("a.txt", b"ada")})
    assert upload.status_code == 200
    return Owned(thread, run["run_id"], assistant, cron["cron_id"])


def places(app: Starlette, owned: Owned) -> list[tuple[str, str]]:
    """Each address that names something of somebody, with the method there."""
    names = {
        "thread_id": owned.thread,
        "run_id": owned.run,
        "assistant_id": owned.assistant,
        "cron_id": owned.cron,
        "namespace": "x",
        "checkpoint_id": "x",
    }
    routes = [route for route in app.routes if isinstance(route, ApiRoute) and "{" in route.path]
    files = [("GET", "uploads/list"), ("POST", "uploads"), ("GET", "artifacts/uploads/a.txt")]
    return [(route.method, route.path.format(**names)) for route in routes] + [
        (method, f"/threads/{owned.thread}/{path}") for method, path in files
    ]


BODY: Any = {
    "assistant_id": "echo",
    "graph_id": "echo",
    "schedule": "* * * * *",
    "version": 1,
    "checkpoint": {"checkpoint_id": "x"},
    "metadata": {"owner": "eve"},
}


async def test_nothing_of_another_is_there_at_any_address(scene: Scene) -> None:
    ada = scene.clients("ada")
    owned = await things_of(ada)
    before = await ada.threads.get(owned.thread)
    for method, path in places(scene.app, owned):
        told: Any = {"files": {"files": ("a.txt", b"eve")}} if path.endswith("/uploads") else {"json": BODY}
        answer = await scene.http("eve").request(method, path, **told)
        assert answer.status_code in (403, 404), (method, path, answer.text[:200])
        assert (answer.status_code == 403) == ("administrator" in answer.text)
    assert await ada.threads.get(owned.thread) == before
    assert (await ada.assistants.get(owned.assistant))["version"] == 1
    assert [each["cron_id"] for each in await ada.crons.search()] == [owned.cron]
    assert scene.spaces.of(owned.thread).read("/uploads/a.txt") == b"ada"


async def test_no_list_has_anything_of_another(scene: Scene) -> None:
    owned = await things_of(scene.clients("ada"))
    everything: Any = {"limit": 1000, "metadata": {}}
    for name, has in (("eve", False), ("ada", True), ("root", True)):
        http = scene.http(name)
        found = {
            path: (await http.post(path, json=everything)).json()
            for path in ("/threads/search", "/assistants/search", "/runs/crons/search")
        }
        told = json.dumps(found)
        assert [each in told for each in owned.ids() - {owned.run}] == [has] * 3
        for path in ("/threads/count", "/runs/crons/count"):
            assert (await http.post(path, json={})).json() == int(has)
    eve = scene.http("eve")
    pruned = await eve.post("/threads/prune", json={"thread_ids": [owned.thread]})
    assert pruned.json() == {"pruned_count": 0}
    assert (await eve.post("/threads/search", json={"ids": [owned.thread]})).json() == []
    for metadata in ({"owner": "ada"}, {"owner": None}):
        assert (await eve.post("/threads/search", json={"metadata": metadata})).json() == []


async def test_nobody_runs_on_what_is_anothers_nor_takes_its_place(scene: Scene) -> None:
    ada, eve = scene.clients("ada"), scene.clients("eve")
    owned = await things_of(ada)
    for thread, assistant in ((owned.thread, "echo"), (None, owned.assistant), (owned.thread, "ask")):
        runs: Any = eve.runs
        with pytest.raises(NotFoundError):
            await runs.create(thread, assistant, input=HI, if_not_exists="create")
    with pytest.raises(NotFoundError):
        await runs.create_batch([{"assistant_id": owned.assistant, "input": HI}])
    with pytest.raises(NotFoundError):
        await eve.crons.create(owned.assistant, schedule="* * * * *", input=HI)
    with pytest.raises(ConflictError):
        await eve.threads.create(thread_id=owned.thread, if_exists="do_nothing")
    with pytest.raises(ConflictError):
        await eve.assistants.create("echo", assistant_id=owned.assistant, if_exists="do_nothing")
    waiting = await ada.runs.create(owned.thread, "echo", input=HI, after_seconds=1000)
    with pytest.raises(NotFoundError):
        await eve.runs.cancel_many(status="all")
    assert (await ada.runs.get(owned.thread, waiting["run_id"]))["status"] == "pending"
    await ada.runs.cancel_many(status="all")
    assert (await ada.runs.get(owned.thread, waiting["run_id"]))["status"] == "interrupted"


async def test_what_is_made_is_its_makers(scene: Scene) -> None:
    eve = scene.clients("eve")
    pretended: Any = {"metadata": {"owner": "ada"}}
    thread = await eve.threads.create(**pretended)
    assert thread["metadata"] == {"owner": "eve"}
    runs: Any = eve.runs
    run = await runs.create(None, "echo", input=HI, on_completion="keep", **pretended)
    await eve.runs.join(run["thread_id"], run["run_id"])
    kept: Any = await eve.threads.get(run["thread_id"])
    assert kept["metadata"]["owner"] == "eve"
    copied: Any = await eve.http.post(f"/threads/{thread['thread_id']}/copy", json={})
    assert copied["metadata"]["owner"] == "eve"
    made = await eve.assistants.create("echo", **pretended)
    changed: Any = await eve.assistants.update(made["assistant_id"], **pretended)
    assert changed["metadata"]["owner"] == "eve"
    # A run of no thread is its maker's as well, while it goes on and after.
    run = await runs.create(None, "ask", input=HI)
    with pytest.raises(httpx.HTTPStatusError, match="404"):
        await scene.clients("ada").runs.join(run["thread_id"], run["run_id"])
    await eve.runs.join(run["thread_id"], run["run_id"])


async def test_the_store_is_where_a_handler_puts_it(scene: Scene) -> None:
    ada, eve = scene.clients("ada").store, scene.clients("eve").store
    await ada.put_item(["notes"], "k", {"of": "ada"})
    assert await eve.get_item(["notes"], "k") is None
    assert (await eve.search_items([]))["items"] == []
    assert (await eve.list_namespaces())["namespaces"] == []
    await eve.delete_item(["notes"], "k")
    assert (await ada.get_item(["notes"], "k"))["value"] == {"of": "ada"}
    assert (await ada.list_namespaces())["namespaces"] == [["ada", "notes"]]


async def test_the_most_specific_handler_decides(scene: Scene) -> None:
    ada, root = scene.clients("ada"), scene.clients("root")
    made = (await ada.assistants.create("echo"))["assistant_id"]
    with pytest.raises(PermissionDeniedError, match="ask an administrator"):
        await ada.assistants.delete(made)
    await root.assistants.delete(made)


async def test_handlers_see_what_the_sdk_says_that_they_see(scene: Scene, tmp_path: Path) -> None:
    """The SDK's own types are the measure: each value has no key that they lack, and ids are UUIDs."""
    ada = scene.clients("ada")
    owned = await things_of(ada)
    for method, path in places(scene.app, owned):
        if method != "DELETE" and not path.endswith(("/stream", "/wait", "/uploads")):
            await ada.http.client.request(method, path, json=BODY)
    for path in ("/threads/search", "/assistants/search", "/runs/crons/search", "/store/namespaces"):
        await ada.http.client.post(path, json={})
    await ada.store.search_items(["notes"])
    await ada.store.get_item(["notes"], "secret")
    await ada.store.delete_item(["notes"], "secret")
    await ada.crons.delete(owned.cron)
    await ada.threads.delete(owned.thread)
    seen = set()
    for context, value in asked_of(tmp_path):
        assert isinstance(context.user, types.BaseUser)
        assert context.permissions == context.user.permissions
        shape: Any = getattr(getattr(types.on, context.resource), context.action).value
        # Crons have metadata, which a handler sets as that of all else; their types lack it.
        known = {*shape.__annotations__, *(["metadata"] if context.resource == "crons" else [])}
        assert value.keys() <= known, (context.resource, context.action)
        ids = {name: each for name, each in value.items() if name.endswith("_id") and each is not None}
        ids = {name: each for name, each in ids.items() if name not in ("graph_id", "user_id")}
        assert all(isinstance(each, UUID) for each in ids.values()), (context, ids)
        seen.add((context.resource, context.action))
    wanted = {
        (resource, action)
        for resource, actions in (
            ("threads", ("create", "create_run", "read", "update", "delete", "search")),
            ("assistants", ("create", "read", "update", "search")),
            ("crons", ("create", "read", "update", "delete", "search")),
            ("store", ("put", "get", "search", "delete", "list_namespaces")),
        )
        for action in actions
    }
    assert wanted <= seen


ANSWERS = """
from langgraph_sdk import Auth

auth = Auth()
answers = {
    "no": False, "yes": True, "none": None, "word": "ada", "number": 1,
    "unknown": {"owner": {"$like": "a%"}}, "eq": {"owner": {"$eq": "ada"}},
    "in": {"members": {"$contains": "ada"}}, "all": {"members": {"$contains": ["ada", "bob"]}},
    "both": {"owner": "ada", "members": {"$contains": "bob"}}, "null": {"owner": None}, "nobody": {},
}


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]):
    return headers[b"x-name"].decode()


@auth.on.threads.create
async def anybody(ctx, value):
    return None


@auth.on
async def say(ctx, value):
    if ctx.user.identity == "teapot":
        raise Auth.exceptions.HTTPException(status_code=418, detail="short and stout")
    return answers[ctx.user.identity]
"""


@pytest.mark.parametrize(
    ("name", "status", "seen"),
    [
        ("no", 403, ""),
        ("yes", 200, "abcd"),
        ("none", 200, "abcd"),
        ("nobody", 200, "abcd"),
        ("word", 500, ""),
        ("number", 500, ""),
        ("unknown", 500, ""),
        ("teapot", 418, ""),
        ("eq", 200, "ad"),
        ("in", 200, "bd"),
        ("all", 200, "d"),
        ("both", 200, "d"),
        ("null", 200, "c"),
    ],
)
async def test_each_answer_of_a_handler_has_its_effect(
    tmp_path: Path, name: str, status: int, seen: str
) -> None:
    (tmp_path / "answers.py").write_text(ANSWERS)
    app = create_app(
        EmbeddedOptions(tmp_path / "db", {"echo": graphs.echo}, auth=f"{tmp_path}/answers.py:auth")
    )
    kinds: Any = {
        "a": {"owner": "ada", "members": "ada"},
        "b": {"owner": "bob", "members": ["ada", 7, None, {"x": 1}]},
        "c": {"owner": None, "members": {"ada": "bob"}},
        "d": {"owner": "ada", "members": ["bob", "ada"]},
    }
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=StreamingASGITransport(app), base_url="http://x", headers={"x-name": name}
        ) as http,
    ):
        made = {
            (await http.post("/threads", json={"metadata": metadata | {"kind": kind}})).json()[
                "thread_id"
            ]: kind
            for kind, metadata in kinds.items()
        }
        answer = await http.post("/threads/search", json={"sort_order": "asc"})
        assert answer.status_code == status, answer.text
        if status == 200:
            assert "".join(each["metadata"]["kind"] for each in answer.json()) == seen
            assert (await http.post("/threads/count", json={})).json() == len(seen)
        for thread, kind in made.items():
            alone = await http.get(f"/threads/{thread}")
            assert alone.status_code == (status if status != 200 else 200 if kind in seen else 404)


async def test_a_store_that_only_a_filter_protects_is_closed(tmp_path: Path) -> None:
    (tmp_path / "answers.py").write_text(ANSWERS)
    options = EmbeddedOptions(tmp_path / "db", {"echo": graphs.echo})
    app = create_app(replace(options, auth=f"{tmp_path}/answers.py:auth"))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=StreamingASGITransport(app), base_url="http://x", headers={"x-name": "eq"}
        ) as http,
    ):
        answer = await http.post("/store/items/search", json={})
        assert answer.status_code == 403
        assert "value['namespace']" in answer.text
