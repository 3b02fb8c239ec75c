"""Who was let in, over HTTP: listed, approved and taken back, under `/api/pairing`.

Whoever may use the console may use this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from pydantic import StringConstraints
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import RequestBody, RequestRefused, answer_refusals, read_json, read_limit
from parley.core.model.types import Json
from parley.core.state.paired_accounts import PairedAccount
from parley.core.state.pairing import Pairing

PATH = "/api/pairing"
PAGE, MOST_ON_PAGE = 100, 1_000
"""Accounts on a page: without a wish, and at most."""
_MOST_OF_ACCOUNT = 1_000
_BY = "console"
_PRIVATE = {"cache-control": "no-store"}


class PairingCodeBody(RequestBody):
    """The code that somebody was given."""

    code: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]


def pairing_routes(pairing: Pairing) -> Sequence[Route]:
    """GET lists who asks, and a page of accounts; POST `{"code"}` lets in who was given it; DELETE
    `?account=` lets them in no more.
    """

    async def listed(request: Request) -> Response:
        limit, after = read_limit(request, PAGE, MOST_ON_PAGE), request.query_params.get("after", "")
        if len(after) > _MOST_OF_ACCOUNT or not after.isprintable():
            raise RequestRefused(422, "bad_request", "after: take it from an earlier page.")
        paired, more = await pairing.accounts_page(limit, after)
        body: dict[str, Json] = {
            "requests": [] if after else [asdict(each) async for each in pairing.requests()],
            "paired": [_shown(each) for each in paired],
            "after": more,
        }
        return JSONResponse(body, headers=_PRIVATE)

    async def approved(request: Request) -> Response:
        paired = await pairing.approve((await read_json(request, PairingCodeBody)).code, _BY)
        if paired is None:
            raise RequestRefused(404, "unknown_code", "This code is unknown, used or expired.")
        return JSONResponse(_shown(paired), headers=_PRIVATE)

    async def revoked(request: Request) -> Response:
        account = request.query_params.get("account", "")
        if not account or not await pairing.revoke(account):
            raise RequestRefused(404, "not_paired", "No such account was let in with a code.")
        return Response(status_code=204)

    return (
        Route(PATH, answer_refusals(listed), methods=["GET"]),
        Route(PATH, answer_refusals(approved), methods=["POST"]),
        Route(PATH, answer_refusals(revoked), methods=["DELETE"]),
    )


def _shown(paired: PairedAccount) -> dict[str, Json]:
    return {"account": paired.account, "name": paired.name, "by": paired.by, "at": paired.at}
