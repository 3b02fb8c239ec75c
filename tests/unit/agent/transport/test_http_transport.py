"""A request that a server breaks at does not harm the next one."""

from __future__ import annotations

import asyncio

from parley.agent.transport.assistants import AssistantDirectory
from parley.agent.transport.http_client import AgentEndpoint, make_clients
from parley.core.model.errors import AgentError

_ASSISTANT = "6ba7b821-9dad-11d1-80b4-00c04fd430c8"


async def test_a_question_for_schemas_has_a_connection_of_its_own() -> None:
    """uvicorn closes a connection whose request broke its application, and tells nobody."""
    asked: list[list[str]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append([])
        while lines := (await reader.read(4096)).decode().split("\r\n"):
            if not lines[0]:
                break
            asked[-1].append(lines[0].split(" ")[1].rpartition("/")[2])
            status = "500 Broken" if "schemas" in lines[0] else "200 OK"
            closes = next((line + "\r\n" for line in lines if line.lower() == "connection: close"), "")
            writer.write(f"HTTP/1.1 {status}\r\n{closes}content-length: 2\r\n\r\n{{}}".encode())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    http, sdk = make_clients(AgentEndpoint(f"http://127.0.0.1:{port}", ""), None)
    async with http, server:
        client = AssistantDirectory(sdk)
        try:
            await client.context_fields(_ASSISTANT)
        except AgentError:
            await client.knows(_ASSISTANT)
        await client.knows(_ASSISTANT)
    assert asked == [["schemas"], [_ASSISTANT, _ASSISTANT]]
