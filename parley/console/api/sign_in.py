"""The pages of a sign-in to an MCP server: before the browser leaves for it, and once it is back."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from parley.core.ports.sign_ins import SignInLinks
from parley.core.texts import AgentSentence, language_of, say

_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
}
_MOST_STATE = 200
_MOST_CODE = 4_000


class SignInPages:
    """The pages, in front of the console's checks: whoever has a link in a chat has no token of the console.

    The first says for whom the account will be used. Without it, a link that somebody else made would bind
    one's account to theirs with a click.
    """

    def __init__(self, links: SignInLinks) -> None:
        self._links = links

    async def begin(self, request: Request) -> Response:
        """Show who asks, and the way to the server."""
        language, pending = _language(request), self._links.find(_given(request, "state", _MOST_STATE))
        if pending is None or not pending.url.startswith(("https://", "http://")):
            return _page(language, say(language, AgentSentence.SIGN_IN_GONE), status=404)
        words = say(language, AgentSentence.SIGN_IN_PAGE, server=pending.server, name=pending.name or "?")
        return _page(language, words, (pending.url, say(language, AgentSentence.SIGN_IN_GO)))

    async def end(self, request: Request) -> Response:
        """Hand on what the server gave the browser, and say what became of it."""
        language, state = _language(request), _given(request, "state", _MOST_STATE)
        pending = self._links.find(state)
        if pending is None:
            return _page(language, say(language, AgentSentence.SIGN_IN_GONE), status=404)
        code = _given(request, "code", _MOST_CODE)
        if code and await self._links.finish(state, code):
            return _page(language, say(language, AgentSentence.SIGN_IN_WORKED, server=pending.server))
        return _page(language, say(language, AgentSentence.SIGN_IN_FAILED, server=pending.server), status=400)


def _given(request: Request, name: str, most: int) -> str:
    found = request.query_params.get(name, "")
    return found if len(found) <= most else ""


def _language(request: Request) -> str:
    return language_of(request.headers.get("accept-language", "")[:20].partition(",")[0])


def _page(language: str, words: str, link: tuple[str, str] | None = None, status: int = 200) -> Response:
    parts = [f"<p>{escape(words)}</p>"]
    if link is not None:
        url, label = map(escape, link)
        parts.append(f'<p><a rel="noreferrer" href="{url}">{label}</a></p>')
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Parley</title>'
    text = f'<!doctype html><html lang="{language}"><head>{head}</head><body>{"".join(parts)}</body></html>'
    return HTMLResponse(text, status, _HEADERS)
