"""Accounts of a person on MCP servers are named in their export, and go when they are erased."""

from __future__ import annotations

from pathlib import Path

from parley.app.composition.embedded.personal_data import McpAccounts
from parley.app.composition.embedded.sign_ins import open_sign_ins
from parley.app.settings.load import read_settings
from parley.core.model.address import User
from parley.server.accounts.files import Account

ANN, BOB = User("slack", "U1"), User("slack", "U2")


async def test_an_export_names_them_and_erasure_removes_them(tmp_path: Path) -> None:
    loaded = read_settings("console: {port: 9}", "config.yaml", {}, tmp_path)
    sign_ins = open_sign_ins(loaded)
    assert sign_ins.callback == "http://127.0.0.1:9/mcp/callback"
    for person, server in (("slack:U1", "desk"), ("slack:U1", "lab"), ("slack:U2", "desk")):
        account = Account(person, server, "https://a.test")
        sign_ins.files.write(account, {"tokens": "secret"}, sign_ins.files.generation(person))
    accounts = McpAccounts(loaded)
    (piece,) = [each async for each in accounts.kept(ANN)]
    assert piece.content == b'{"signed_in": ["desk", "lab"]}'
    assert await accounts.erase(ANN) == 2
    assert [each async for each in accounts.kept(ANN)] == []
    assert sign_ins.files.servers("slack:U2") == ("desk",)
    assert await accounts.erase(BOB) == 1
