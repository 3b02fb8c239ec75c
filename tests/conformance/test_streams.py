"""What a run's stream carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import RunCreateMetadata, StreamMode, StreamPart

from tests.conformance.servers import Server
from tests.conformance.stream_helpers import TOKENS, collect, events_named, human_input, texts

Mode: TypeAlias = StreamMode | Sequence[StreamMode]


async def run(
    client: LangGraphClient,
    graph: str,
    mode: Mode,
    *,
    resumable: bool = False,
    subgraphs: bool = False,
    on_created: Callable[[RunCreateMetadata], None] | None = None,
) -> tuple[str, list[StreamPart]]:
    thread = str(uuid4())
    stream = client.runs.stream(
        thread,
        graph,
        input=human_input("hi"),
        stream_mode=mode,
        stream_resumable=resumable,
        stream_subgraphs=subgraphs,
        on_run_created=on_created,
        if_not_exists="create",
    )
    return thread, await collect(stream)


async def test_metadata_comes_first_and_names_the_run(client: LangGraphClient) -> None:
    created: list[Any] = []
    thread, parts = await run(client, "echo", TOKENS, on_created=created.append)
    assert parts[0].event == "metadata"
    assert created == [{"thread_id": thread, "run_id": parts[0].data["run_id"]}]
    assert parts[0].data["attempt"] == 1


async def test_an_answer_comes_in_pieces_with_the_id_that_it_keeps(client: LangGraphClient) -> None:
    thread, parts = await run(client, "echo", TOKENS)
    chunks = [message for message, _ in events_named(parts, "messages")]
    [update] = events_named(parts, "updates")
    answer = update["model"]["messages"][0]
    assert "".join(chunk["content"] for chunk in chunks) == answer["content"] == "You said: hi"
    assert {chunk["id"] for chunk in chunks} == {answer["id"]}
    assert {chunk["type"] for chunk in chunks} == {"AIMessageChunk"}
    assert texts(await client.threads.get_state(thread)) == ["hi", "You said: hi"]


async def test_a_piece_says_which_node_run_and_thread_it_is_of(client: LangGraphClient) -> None:
    thread, parts = await run(client, "echo", TOKENS)
    _, metadata = events_named(parts, "messages")[0]
    assert metadata["langgraph_node"] == "model"
    assert metadata["thread_id"] == thread
    assert metadata["run_id"] == parts[0].data["run_id"]


async def test_values_begin_with_the_input_and_end_with_the_answer(client: LangGraphClient) -> None:
    _, parts = await run(client, "echo", "values")
    states = events_named(parts, "values")
    assert [message["content"] for message in states[0]["messages"]] == ["hi"]
    assert [message["content"] for message in states[-1]["messages"]] == ["hi", "You said: hi"]


async def test_accumulated_messages_grow(client: LangGraphClient) -> None:
    _, parts = await run(client, "echo", "messages")
    assert events_named(parts, "messages/metadata")
    partial = [message["content"] for [message] in events_named(parts, "messages/partial")]
    assert partial[:3] == ["You ", "You said: ", "You said: hi"]


async def test_custom_events_pass_as_they_are(client: LangGraphClient) -> None:
    _, parts = await run(client, "echo", ["custom", "updates"])
    assert events_named(parts, "custom") == [{"progress": "thinking"}]


async def test_a_tool_turn_shows_call_result_and_a_new_message(client: LangGraphClient) -> None:
    _, parts = await run(client, "tools", TOKENS)
    messages = [message for message, _ in events_named(parts, "messages")]
    calls = [call for message in messages for call in message.get("tool_call_chunks") or []]
    assert "".join(call["args"] for call in calls) == '{"city": "Bonn"}'
    [result] = [message for message in messages if message["type"] == "tool"]
    assert (result["content"], result["tool_call_id"]) == ("sunny in Bonn", "call_1")
    assert messages[-1]["id"] not in (messages[0]["id"], result["id"])
    assert [list(update) for update in events_named(parts, "updates")] == [["model"], ["tools"], ["conclude"]]


async def test_what_is_tagged_nostream_is_in_the_state_only(client: LangGraphClient) -> None:
    thread, parts = await run(client, "quiet", TOKENS)
    streamed = "".join(
        message["content"] for message, _ in events_named(parts, "messages") if "Chunk" in message["type"]
    )
    assert streamed == "You said: hi"
    assert texts(await client.threads.get_state(thread)) == ["hi", "hidden ", "You said: hi"]


async def test_blocks_stream_by_index_and_are_merged_in_the_state(client: LangGraphClient) -> None:
    thread, parts = await run(client, "blocks", TOKENS)
    blocks = [block for message, _ in events_named(parts, "messages") for block in message["content"] or []]
    assert [block.get("text", "") for block in blocks if block["type"] == "text"] == ["You ", "win"]
    thinking, text = texts(await client.threads.get_state(thread))[-1]
    assert (thinking["thinking"], text["text"]) == ("hm so", "You win")


async def test_subgraphs_are_named_in_the_event_when_asked_for(client: LangGraphClient) -> None:
    _, parts = await run(client, "sub", TOKENS, subgraphs=True)
    inner = {part.event.split(":")[0] for part in parts if "|" in part.event}
    assert inner == {"messages|researcher", "updates|researcher"}
    _, parts = await run(client, "sub", TOKENS)
    assert not [part.event for part in parts if "|" in part.event]


async def test_a_failure_is_an_event_and_the_thread_goes_on(client: LangGraphClient) -> None:
    thread, parts = await run(client, "failing", TOKENS)
    [error] = events_named(parts, "error")
    assert (error["error"], error["message"]) == ("RuntimeError", "model exploded")
    assert (await client.threads.get(thread))["status"] == "error"
    await client.runs.wait(thread, "failing", input=human_input("be kind"))
    assert texts(await client.threads.get_state(thread)) == ["hi", "be kind", "recovered"]
    assert (await client.threads.get(thread))["status"] == "idle"


async def test_the_last_event_says_how_the_run_ended(client: LangGraphClient, server: Server) -> None:
    _, parts = await run(client, "echo", TOKENS)
    ends = events_named(parts, "end")
    assert [end["status"] for end in ends] == (["success"] if server.can.emits_end else [])
    _, parts = await run(client, "failing", TOKENS)
    assert [end["status"] for end in events_named(parts, "end")] == (
        ["error"] if server.can.emits_end else []
    )


async def test_events_of_a_resumable_run_are_numbered(client: LangGraphClient, server: Server) -> None:
    _, parts = await run(client, "echo", TOKENS, resumable=True)
    ids = [part.id or "" for part in parts]
    assert all(ids)
    if server.can.exact_ids:
        assert ids == sorted(set(ids), key=int)
    _, parts = await run(client, "echo", TOKENS)
    assert all(part.id for part in parts) is server.can.numbers_every_run


async def test_a_run_without_a_thread_leaves_none(client: LangGraphClient) -> None:
    parts = await collect(client.runs.stream(None, "echo", input=human_input("hi"), stream_mode="values"))
    assert events_named(parts, "values")[-1]["messages"][-1]["content"] == "You said: hi"
    state: Any = await client.runs.wait(None, "echo", input=human_input("hi"))
    assert state["messages"][-1]["content"] == "You said: hi"
