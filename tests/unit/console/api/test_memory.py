"""The memory API: whose memory, what is refused and how, and that nothing secret is told."""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from parley.console.api.bodies import MAX_BODY_BYTES
from parley.console.api.memory import MAX_IMPORT_BYTES, memory_routes
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.ports.memory.admin import FailedTurn
from tests.kit.doubles.console_server import TOKEN, bearer
from tests.kit.doubles.memory_admin import OWN, Memories, empty, fact

TEA = "Prefers tea"
FACT = "/api/memory/facts/fact_00000001"


def client(memories: Memories) -> httpx.AsyncClient:
    server = HttpServer(ConsoleOptions(token=TOKEN), memory_routes(memories, memories.own), lambda: ())
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(server.app),
        base_url="http://127.0.0.1:8321",
        headers=bearer(TOKEN),
    )


@pytest.fixture
def memories() -> Memories:
    own = empty() | {"facts": [fact(1, TEA, "preference"), fact(2, "Lives in Rome")]}
    return Memories(documents={OWN: own, "telegram:7": empty() | {"facts": [fact(3, "Has a cat")]}})


@pytest_asyncio.fixture
async def http(memories: Memories) -> AsyncIterator[httpx.AsyncClient]:
    async with client(memories) as http:
        yield http


def contents(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [entry["content"] for entry in answer.json()["facts"]]


def refused(answer: httpx.Response) -> tuple[int, str]:
    problem = answer.json()
    assert set(problem) == {"error"}
    assert set(problem["error"]) == {"code", "text"}
    assert problem["error"]["text"]
    return answer.status_code, problem["error"]["code"]


async def test_without_a_person_it_is_about_whoever_writes_on_the_page(http: httpx.AsyncClient) -> None:
    assert contents(await http.get("/api/memory")) == [TEA, "Lives in Rome"]
    assert contents(await http.get("/api/memory", params={"person": "telegram:7"})) == ["Has a cat"]
    assert contents(await http.get("/api/memory", params={"person": "nobody"})) == []


async def test_the_memory_is_a_document_of_schema_1_0(http: httpx.AsyncClient) -> None:
    document = (await http.get("/api/memory")).json()
    assert document["version"] == "1.0"
    assert set(document) == {"version", "lastUpdated", "user", "history", "facts"}


async def test_reload_reads_anew(http: httpx.AsyncClient, memories: Memories) -> None:
    assert contents(await http.post("/api/memory/reload")) == [TEA, "Lives in Rome"]
    assert memories.reloaded == [OWN]


async def test_the_configuration_tells_names_and_numbers_only(http: httpx.AsyncClient) -> None:
    config = (await http.get("/api/memory/config")).json()
    assert config["max_facts"] == 1000
    assert not [name for name in config if any(word in name for word in ("key", "url", "dir"))]


async def test_the_status_has_configuration_memory_person_and_health(http: httpx.AsyncClient) -> None:
    status = (await http.get("/api/memory/status")).json()
    assert status["config"] == (await http.get("/api/memory/config")).json()
    assert status["data"] == (await http.get("/api/memory")).json()
    kept_out = {"damaged": "", "secrets": 0, "orders": 0, "unsaid": 0}
    assert status["person"] == {"id": OWN, "on": True, "waiting": 0} | kept_out
    assert status["health"]["people"] == 2


async def test_people_are_named_and_the_own_one_among_them(http: httpx.AsyncClient) -> None:
    found = (await http.get("/api/memory/people")).json()
    assert found == {"own": OWN, "people": ["telegram:7", OWN], "after": ""}
    first = (await http.get("/api/memory/people", params={"limit": 1})).json()
    assert (first["people"], first["after"]) == (["telegram:7"], "telegram:7")
    second = (await http.get("/api/memory/people", params={"limit": 1, "after": first["after"]})).json()
    assert (second["people"], second["after"]) == ([OWN], "")


@pytest.mark.parametrize(
    "query", [{"limit": "0"}, {"limit": "1001"}, {"limit": "-1"}, {"limit": "²"}, {"after": "x" * 501}]
)
async def test_a_page_of_people_is_bounded(http: httpx.AsyncClient, query: dict[str, str]) -> None:
    answer = await http.get("/api/memory/people", params=query)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_request")


async def test_words_are_searched_as_in_the_chat(http: httpx.AsyncClient, memories: Memories) -> None:
    found = (await http.get("/api/memory/search", params={"words": "ROME"})).json()["facts"]
    assert found == [
        entry["id"] for entry in memories.of(OWN)["facts"] if entry["content"] == "Lives in Rome"
    ]
    assert (await http.get("/api/memory/search")).json() == {"facts": []}
    other = {"words": "cat", "person": "telegram:7"}
    assert len((await http.get("/api/memory/search", params=other)).json()["facts"]) == 1


async def test_a_fact_is_created_corrected_and_deleted(http: httpx.AsyncClient, memories: Memories) -> None:
    created = await http.post(
        "/api/memory/facts", json={"content": "  Runs marathons ", "category": "behavior", "confidence": 1}
    )
    assert contents(created)[-1] == "Runs marathons"
    place = created.headers["location"]
    changed = await http.patch(place, json={"content": "Ran marathons", "confidence": 0.75})
    entry = changed.json()["facts"][-1]
    assert (entry["content"], entry["confidence"], entry["category"]) == ("Ran marathons", 0.75, "behavior")
    assert contents(await http.delete(place)) == [TEA, "Lives in Rome"]
    assert memories.facts("telegram:7") == ["Has a cat"]


async def test_what_is_known_already_is_a_conflict_that_names_it(http: httpx.AsyncClient) -> None:
    answer = await http.post("/api/memory/facts", json={"content": TEA})
    assert refused(answer) == (409, "known")
    assert "fact_00000001" in answer.json()["error"]["text"]
    assert refused(await http.patch(FACT, json={"content": "Lives in Rome"})) == (409, "known")


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_a_fact_that_there_is_not_is_not_found(http: httpx.AsyncClient, method: str) -> None:
    body = {"json": {"confidence": 0.5}} if method == "PATCH" else {}
    for name in ("fact_99999999", "..%2Fmemory", "%00"):
        answer = await http.request(method, f"/api/memory/facts/{name}", **body)  # type: ignore[arg-type]
        assert answer.status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": "   "},
        {"content": "…!?"},
        {"content": "x" * 501},
        {"content": 5},
        {"content": "x", "category": "secret"},
        {"content": "x", "confidence": 1.5},
        {"content": "x", "confidence": -0.1},
        {"content": "x", "confidence": True},
        {"content": "x", "confidence": "0.9"},
        {"content": "x", "source": "manual"},
        [],
    ],
)
async def test_values_that_cannot_be_are_refused_with_their_name(
    http: httpx.AsyncClient, memories: Memories, body: object
) -> None:
    assert refused(await http.post("/api/memory/facts", json=body)) == (422, "bad_request")
    assert memories.facts() == [TEA, "Lives in Rome"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
async def test_a_confidence_that_is_no_number_is_refused(http: httpx.AsyncClient, number: str) -> None:
    body = f'{{"content": "x", "confidence": {number}}}'
    headers = {"content-type": "application/json"}
    answer = await http.post("/api/memory/facts", content=body, headers=headers)
    assert refused(answer) == (422, "bad_request")


@pytest.mark.parametrize(
    "body", [{}, {"content": None}, {"content": " "}, {"category": ""}, {"id": "fact_2"}, {"confidence": 2}]
)
async def test_a_correction_must_correct_something(http: httpx.AsyncClient, body: object) -> None:
    assert refused(await http.patch(FACT, json=body)) == (422, "bad_request")


async def test_bodies_are_json_and_not_longer_than_they_may_be(http: httpx.AsyncClient) -> None:
    form = await http.post("/api/memory/facts", data={"content": "x"})
    assert refused(form) == (415, "not_json")
    long = await http.post("/api/memory/facts", json={"content": "x" * MAX_BODY_BYTES})
    assert refused(long) == (413, "too_long")
    headers = {"content-type": "application/json"}
    huge = await http.post("/api/memory/import", content=b" " * (MAX_IMPORT_BYTES + 1), headers=headers)
    assert refused(huge) == (413, "too_long")


async def test_an_export_is_a_file_that_can_be_imported(http: httpx.AsyncClient, memories: Memories) -> None:
    exported = await http.get("/api/memory/export")
    assert exported.headers["content-disposition"] == 'attachment; filename="memory.json"'
    assert contents(await http.delete("/api/memory")) == []
    assert contents(await http.post("/api/memory/import", json=exported.json())) == [TEA, "Lives in Rome"]
    assert memories.facts("telegram:7") == ["Has a cat"]


@pytest.mark.parametrize("body", [{}, {"hello": 1}, {"facts": [{"id": 1}]}, [], "text"])
async def test_something_else_is_not_imported_in_place_of_a_memory(
    http: httpx.AsyncClient, memories: Memories, body: object
) -> None:
    answer = await http.post("/api/memory/import", json=body)
    assert answer.status_code == 422
    assert refused(answer)
    assert memories.facts() == [TEA, "Lives in Rome"]


async def test_broken_json_is_refused(http: httpx.AsyncClient) -> None:
    for path in ("/facts", "/import"):
        for body in (b"{", b"\xff{}", b"[" * 30_000, b""):
            headers = {"content-type": "application/json"}
            answer = await http.post(f"/api/memory{path}", content=body, headers=headers)
            assert refused(answer) == (422, "bad_request")


async def test_memory_is_switched_off_and_on_for_a_person(http: httpx.AsyncClient) -> None:
    off = await http.put("/api/memory/switch", json={"on": False})
    assert {"id": OWN, "on": False, "waiting": 0}.items() <= off.json().items()
    assert (await http.get("/api/memory/status")).json()["person"]["on"] is False
    other = await http.get("/api/memory/status", params={"person": "telegram:7"})
    assert other.json()["person"]["on"] is True
    assert refused(await http.put("/api/memory/switch", json={"on": "no"})) == (422, "bad_request")


async def test_turns_that_were_set_aside_are_seen_and_tried_again(memories: Memories) -> None:
    memories.letters = [FailedTurn(7, OWN, "turn-1", 1_795_262_400.0, "the model was away")]
    async with client(memories) as http:
        letters = (await http.get("/api/memory/dead-letters")).json()["dead_letters"]
        assert [(letter["item"], letter["reason"]) for letter in letters] == [(7, "the model was away")]
        assert (await http.post("/api/memory/dead-letters/7/retry")).status_code == 204
        again = await http.post("/api/memory/dead-letters/7/retry")
        assert refused(again) == (404, "no_dead_letter")


async def test_turns_that_were_set_aside_come_in_pages(memories: Memories) -> None:
    memories.letters = [FailedTurn(number, OWN, f"turn-{number}", 0.0, "why") for number in range(5)]
    async with client(memories) as http:
        found, after = list[int](), ""
        for _ in range(3):
            query = {"limit": "2", "after": after}
            page = (await http.get("/api/memory/dead-letters", params=query)).json()
            found, after = [*found, *(letter["item"] for letter in page["dead_letters"])], page["after"]
        assert (found, after) == ([0, 1, 2, 3, 4], "")
        for query in ({"limit": "0"}, {"limit": "1001"}, {"after": "nonsense"}):
            refusal = await http.get("/api/memory/dead-letters", params=query)
            assert refused(refusal) == (422, "bad_request")


async def test_where_memory_is_off_one_sentence_says_so(memories: Memories) -> None:
    async with client(memories.off()) as http:
        for method, path in (
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/export"),
            ("GET", "/people"),
            ("POST", "/facts"),
            ("PATCH", "/facts/fact_1"),
            ("GET", "/dead-letters"),
        ):
            assert refused(await http.request(method, f"/api/memory{path}")) == (409, "memory_off")
        status = (await http.get("/api/memory/status")).json()
        assert status["config"]["enabled"] is False
        assert [each["content"] for each in status["data"]["facts"]] == [TEA, "Lives in Rome"]
        assert "person" not in status


async def test_a_memory_that_is_out_of_reach_is_a_passing_trouble(memories: Memories) -> None:
    memories.away = True
    async with client(memories) as http:
        answer = await http.get("/api/memory")
        assert refused(answer) == (503, "memory_failed")
        assert answer.headers["retry-after"]
        assert answer.json()["error"]["text"] == "The disk is full."


async def test_answers_are_not_kept_by_anybody_in_between(http: httpx.AsyncClient) -> None:
    for path in ("", "/export", "/status", "/facts"):
        assert (await http.get(f"/api/memory{path}")).headers.get("cache-control", "no-store") == "no-store"
    assert (await http.get("/api/memory")).headers["cache-control"] == "no-store"


async def test_nobody_reads_or_writes_without_the_token(memories: Memories) -> None:
    async with client(memories) as http:
        del http.headers["authorization"]
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/config"), ("POST", "/facts")):
            assert (await http.request(method, f"/api/memory{path}")).status_code == 401
        http.headers.update(bearer(TOKEN))
        assert contents(await http.get("/api/memory")) == [TEA, "Lives in Rome"]


async def test_another_sites_page_reaches_nothing(http: httpx.AsyncClient, memories: Memories) -> None:
    foreign = {"origin": "https://elsewhere.example", "sec-fetch-site": "cross-site"}
    assert (await http.delete("/api/memory", headers=foreign)).status_code == 403
    assert (await http.get("/api/memory/export", headers=foreign)).status_code == 403
    assert memories.facts() == [TEA, "Lives in Rome"]


async def test_a_persons_id_is_a_short_line(http: httpx.AsyncClient) -> None:
    for person in ("a\nb", "x" * 501, "\x00"):
        answer = await http.get("/api/memory", params={"person": person})
        assert refused(answer) == (422, "bad_request")
