"""Dead letters over HTTP: listed, shown, tried again and dropped, under `/api/letters`.

Whoever may use the console may use this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import RequestRefused, answer_refusals, read_limit
from parley.console.api.metrics import labelled
from parley.core.dead_letters import MOST_ON_PAGE, PAGE, DeadLetter, DeadLetters
from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import Json

PATH = "/api/letters"
_PRIVATE = {"cache-control": "no-store"}


def letter_routes(letters: DeadLetters) -> Sequence[Route]:
    """GET lists a page, GET `/{item}` shows one, POST `/{item}/retry` tries it again, DELETE drops it."""

    async def listed(request: Request) -> Response:
        limit = read_limit(request, PAGE, MOST_ON_PAGE)
        try:
            found = await letters.page(limit, request.query_params.get("after", ""))
        except ValueError as error:
            raise RequestRefused(422, "bad_request", "after: take it from an earlier page.") from error
        body: dict[str, Json] = {"letters": [_line(each) for each in found.letters], "after": found.after}
        return JSONResponse(body, headers=_PRIVATE)

    async def shown(request: Request) -> Response:
        letter = await letters.find(request.path_params["item"])
        if letter is None:
            raise _unknown()
        body = _line(letter) | {"said": letter.said, "answer": letter.answer}
        return JSONResponse(body, headers=_PRIVATE)

    async def retried(request: Request) -> Response:
        return _done(await letters.retry(request.path_params["item"]))

    async def dropped(request: Request) -> Response:
        return _done(await letters.drop(request.path_params["item"]))

    return (
        Route(PATH, answer_refusals(listed), methods=["GET"]),
        Route(f"{PATH}/{{item:int}}", answer_refusals(shown), methods=["GET"]),
        Route(f"{PATH}/{{item:int}}/retry", answer_refusals(retried), methods=["POST"]),
        Route(f"{PATH}/{{item:int}}", answer_refusals(dropped), methods=["DELETE"]),
    )


async def letter_metrics(letters: DeadLetters) -> Sequence[Metric]:
    """Return the gauge of dead letters, or nothing while the store cannot be asked."""
    try:
        counts: Mapping[str, int] = await letters.counts()
    except StoreUnavailable:
        return ()
    about = "Messages that were given up and wait for the operator: parley letters list."
    return (labelled(GaugeMetricFamily, "parley_dead_letters", about, "queue", counts),)


def _line(letter: DeadLetter) -> dict[str, Json]:
    return {
        "item": letter.item,
        "kind": letter.kind.value,
        "conversation": letter.conversation,
        "person": letter.person,
        "name": letter.name,
        "at": letter.at,
        "reason": letter.reason,
        "items": list(letter.items),
    }


def _done(found: bool) -> Response:
    if not found:
        raise _unknown()
    return Response(status_code=204)


def _unknown() -> RequestRefused:
    return RequestRefused(404, "no_letter", "There is no dead letter of this number.")
