"""The newest lines of the log over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from parley.console.api.logs import PATH, log_route
from parley.console.http.options import ConsoleOptions
from tests.kit.doubles.console_server import serving


def recent(limit: int, words: str) -> Sequence[str]:
    return [line for line in ("one turn", "two turns", "three") if words in line][-limit:]


async def test_lines_are_chosen_by_number_and_words() -> None:
    async with serving(routes=[log_route(recent)]) as http:
        assert (await http.get(PATH)).json() == {"lines": ["one turn", "two turns", "three"]}
        assert (await http.get(PATH, params={"q": "turn", "limit": "1"})).json() == {"lines": ["two turns"]}


@pytest.mark.parametrize("limit", ["", "-1", "x", "1e3", "99999999", "²"])
async def test_a_limit_that_is_none_is_refused(limit: str) -> None:
    async with serving(routes=[log_route(recent)]) as http:
        answer = await http.get(PATH, params={"limit": limit})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad_limit"


async def test_the_log_is_behind_the_token() -> None:
    async with serving(
        ConsoleOptions(port=0, token="a-token-that-is-long"), routes=[log_route(recent)]
    ) as http:
        del http.headers["authorization"]
        assert (await http.get(PATH)).status_code == 401
