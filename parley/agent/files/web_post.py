"""JSON for addresses that clients give: of anybody's, so only public ones and the hosts that are allowed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

from yarl import URL

from parley.agent.files.web_address import NotFetched, checked_address
from parley.agent.files.web_fetch import open_session
from parley.core.network import Address, is_public

_HERE = ("localhost", "localhost.localdomain")


class WebPoster:
    """Posts to public addresses and to `hosts`, wherever these are. No redirect is followed."""

    def __init__(self, hosts: Collection[str] = ()) -> None:
        self._hosts = frozenset(hosts)

    def refusal(self, url: str) -> str:
        """Return why an address is never asked, "" for one that may be."""
        try:
            place = self._place(url)
        except (NotFetched, ValueError) as error:
            return f"{str(error)[:200]}; write an http:// or https:// address that everybody can reach"
        if (place.host or "").lower() in _HERE and not self._known(place):
            return "this machine is not asked; write an address that everybody can reach"
        return ""

    async def post(self, url: str, body: bytes, number: str) -> str:
        """Post JSON; returns why it was not taken, "" if it was."""
        headers = {"content-type": "application/json", "user-agent": "parley", "webhook-id": number}
        try:
            place = self._place(url)
            async with (
                await open_session(self._allowed(place)) as session,
                session.post(place, data=body, headers=headers, allow_redirects=False) as answer,
            ):
                return "" if 200 <= answer.status < 300 else f"HTTP {answer.status}"
        except (NotFetched, ValueError) as error:
            return str(error)[:300]

    def _place(self, url: str) -> URL:
        known = False
        with suppress(ValueError):
            known = self._known(URL(url[:2_000]))
        return checked_address(url, _anybody if known else is_public)

    def _allowed(self, place: URL) -> Callable[[Address], bool]:
        return _anybody if self._known(place) else is_public

    def _known(self, place: URL) -> bool:
        return (place.host or "").lower() in self._hosts


def _anybody(_: Address) -> bool:
    return True
