"""The pages of a sign-in to an MCP server: before the browser leaves for it, and once it is back."""

from __future__ import annotations

import hmac
import secrets
from html import escape
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from parley.console.http.forms import form_field
from parley.core.ports.sign_ins import PendingLink, SignInLinks
from parley.core.texts import AgentSentence, language_of, say

_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    # No form-action: Chromium would hold it against the redirect to the server that follows the form.
    "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
}
_COOKIE = "parley_mcp_sign_in"
_LIFE = 900
_SECRET = 43
"""Characters of a cookie: 32 random bytes."""
_MOST_SECRET = 200
_MOST_CODE = 4_000
_MOST_NAME = 80


class SignInPages:
    """The pages, in front of the console's checks: whoever has a link in a chat has no token of the console.

    Opening a link binds nothing and uses nothing up, for chat programs open links, too. The form on its page
    gives the sign-in to the browser that sends it: no other one can bring it to its end.
    """

    def __init__(self, links: SignInLinks) -> None:
        self._links = links
        self._key = secrets.token_bytes(32)

    async def begin(self, request: Request) -> Response:
        """Show who asks for what, with the form that goes on; or take the form."""
        language, link = _language(request), _given(request, "link", _MOST_SECRET)
        pending = self._links.find(link)
        if pending is None:
            return _page(language, say(language, AgentSentence.SIGN_IN_GONE), status=404)
        browser = _browser(request)
        if not self._links.admits(link, browser):
            return _page(language, say(language, AgentSentence.SIGN_IN_BROWSER), status=403)
        if request.method == "POST":
            return await self._go_on(request, link, browser)
        browser = browser or secrets.token_urlsafe(32)
        answer = _page(language, _asked(language, pending), _form(language, self._token(link, browser)))
        place = urlsplit(self._links.address)
        answer.set_cookie(
            _COOKIE,
            browser,
            max_age=_LIFE,
            path=f"{place.path.rstrip('/')}/mcp",
            secure=place.scheme == "https",
            httponly=True,
            samesite="lax",
        )
        return answer

    async def end(self, request: Request) -> Response:
        """Hand on what the server gave the browser, and say what became of it."""
        language, state = _language(request), _given(request, "state", _MOST_SECRET)
        pending, browser = self._links.returned(state), _browser(request)
        if pending is None:
            return _page(language, say(language, AgentSentence.SIGN_IN_GONE), status=404)
        if not self._links.is_bound(state, browser):
            return _page(language, say(language, AgentSentence.SIGN_IN_BROWSER), status=403)
        code = _given(request, "code", _MOST_CODE)
        issuers = request.query_params.getlist("iss")
        if code and await self._links.finish(state, browser, code, issuers):
            return _page(language, say(language, AgentSentence.SIGN_IN_WORKED, server=pending.server))
        return _page(language, say(language, AgentSentence.SIGN_IN_FAILED, server=pending.server), status=400)

    async def _go_on(self, request: Request, link: str, browser: str) -> Response:
        language, token = _language(request), await form_field(request, "token")
        good = bool(browser) and hmac.compare_digest(token.encode(), self._token(link, browser).encode())
        onward = self._links.bind(link, browser) if good else ""
        if not onward:
            return _page(language, say(language, AgentSentence.SIGN_IN_BROWSER), status=403)
        return RedirectResponse(onward, 303, _HEADERS)

    def _token(self, link: str, browser: str) -> str:
        return hmac.digest(self._key, f"{link} {browser}".encode(), "sha256").hex()


def _asked(language: str, pending: PendingLink) -> str:
    """Return the page's words: who asks for what, and the hosts, in paragraphs."""
    name, platform = _shown(pending.name), _shown(pending.platform)
    return "\n".join(
        (
            say(language, AgentSentence.SIGN_IN_PAGE, server=pending.server, name=name, platform=platform),
            say(language, AgentSentence.SIGN_IN_SERVER, host=pending.host),
            say(language, AgentSentence.SIGN_IN_AUTHORITY, host=pending.authority),
            say(language, AgentSentence.SIGN_IN_PERSON, name=name, platform=platform),
        )
    )


def _shown(text: str) -> str:
    """Return a name that others chose on one line, without signs that turn or hide what stands beside it."""
    return "".join(filter(str.isprintable, text[:_MOST_NAME])).strip() or "?"


def _form(language: str, token: str) -> str:
    """Return the form. It is sent to the page's own address, which has the link, also behind a proxy."""
    label = escape(say(language, AgentSentence.SIGN_IN_GO))
    hidden = f'<input type="hidden" name="token" value="{token}">'
    return f'<form method="post">{hidden}<button>{label}</button></form>'


def _given(request: Request, name: str, most: int) -> str:
    found = request.query_params.get(name, "")
    return found if len(found) <= most else ""


def _browser(request: Request) -> str:
    found = request.cookies.get(_COOKIE, "")
    return found if len(found) == _SECRET and found.isascii() else ""


def _language(request: Request) -> str:
    return language_of(request.headers.get("accept-language", "")[:20].partition(",")[0])


def _page(language: str, words: str, form: str = "", status: int = 200) -> Response:
    parts = "".join(f"<p>{escape(line)}</p>" for line in words.splitlines())
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Parley</title>'
    text = f'<!doctype html><html lang="{language}"><head>{head}</head><body>{parts}{form}</body></html>'
    return HTMLResponse(text, status, _HEADERS)
