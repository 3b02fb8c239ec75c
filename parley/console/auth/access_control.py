"""Who may speak to the console: host, origin and token, as pure ASGI middleware.

A page of another site that is open in the same browser must reach nothing: neither by sending requests
here (origin) nor by pointing its own name at this machine (host). Everybody else is let in by the token:
programs of this machine are not all its owner's, and an agent may be talked into asking any address.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from parley.console.auth.signin import STYLE_HASH, signin_page
from parley.console.auth.tokens import SigninAttempts, TokenCheck
from parley.console.http.forms import form_field
from parley.console.http.options import ConsoleOptions, host_name
from parley.core.network import is_loopback

_OPEN = frozenset({"/livez", "/readyz"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_MONTH = 30 * 86_400
_WRONG_HOST = (
    "This server answers to localhost, 127.0.0.1 and the names in console.names only; "
    "write the name of this address there."
)


class OriginCheck:
    """Turns away requests that another site's page makes, and names that are not ours."""

    def __init__(self, app: ASGIApp, names: Sequence[str] | None) -> None:
        """Answer `names` beside those of this machine; None: whatever a proxy calls us."""
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        app = self._app
        if not self._is_ours(host_name(headers.get("host", ""))):
            app = error_response(421, "wrong_host", _WRONG_HOST)
        elif is_cross_site(scope["method"], scope["path"], headers):
            app = error_response(403, "foreign_origin", "Requests from other sites are not taken.")
        await app(scope, receive, send)

    def _is_ours(self, name: str) -> bool:
        return self._names is None or is_loopback(name) or name.lower() in self._names


class TokenGate:
    """Lets those in who bring the token, and shows the others the sign-in page.

    Guesses are counted by address. Neither a cookie nor a `generated` token can be guessed: no number of
    wrong tries keeps those out who have them.
    """

    def __init__(
        self, app: ASGIApp, token: str, clock: Callable[[], float], *, generated: bool = False
    ) -> None:
        self._app = app
        self._check = TokenCheck(token)
        self._attempts = SigninAttempts(clock)
        self._generated = generated

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _OPEN:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        await (await self._answer(request) or self._app)(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """Return None for whoever may go on."""
        path, query = request.url.path, request.query_params
        if path == "/signin":
            return await self._signin(request) if request.method == "POST" else self._page(request)
        if path == "/signout" and request.method == "POST":
            return self._signed_out()
        if self._generated and path == "/" and request.method == "GET" and "token" in query:
            return self._entered(request, query["token"])
        return self._refusal(request)

    def _refusal(self, request: Request) -> Response | None:
        """Return None for a good credential."""
        if self._has_cookie(request):
            return None
        said = request.headers.get("authorization", "")
        bearer = said[7:].strip() if said[:7].lower() == "bearer " else ""
        if not bearer:
            return _please_sign_in(request)
        if wait := self._wait(request):
            return _too_many(wait)
        return None if self._is_token(request, bearer) else _please_sign_in(request)

    def _has_cookie(self, request: Request) -> bool:
        return self._check.is_cookie(request.cookies.get(self._check.name, ""))

    def _is_token(self, request: Request, said: str) -> bool:
        good = self._check.is_token(said)
        if not good and not self._generated:
            self._attempts.failed(_address(request))
        return good

    def _wait(self, request: Request) -> float:
        return self._attempts.wait(_address(request))

    def _entered(self, request: Request, token: str) -> Response:
        """Answer the address that was printed: the token goes into the cookie, and out of the address."""
        if self._is_token(request, token):
            return self._let_in(request)
        return RedirectResponse("/", 303) if self._has_cookie(request) else self._page(request, "wrong", 401)

    async def _signin(self, request: Request) -> Response:
        if wait := self._wait(request):
            return self._page(request, "wait", 429, wait)
        if not self._is_token(request, await form_field(request, "token")):
            return self._page(request, "wrong", 401)
        return self._let_in(request)

    def _let_in(self, request: Request) -> Response:
        answer = RedirectResponse("/", 303, {"referrer-policy": "no-referrer", "cache-control": "no-store"})
        answer.set_cookie(
            self._check.name,
            self._check.cookie,
            max_age=_MONTH,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return answer

    def _signed_out(self) -> Response:
        answer = RedirectResponse("/signin", 303)
        answer.delete_cookie(self._check.name)
        return answer

    def _page(self, request: Request, state: str = "", status: int = 200, wait: float = 0.0) -> Response:
        language = request.headers.get("accept-language", "")
        page = HTMLResponse(signin_page(language, state, generated=self._generated), status)
        page.headers["content-security-policy"] = (
            f"default-src 'none'; style-src '{STYLE_HASH}'; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        )
        page.headers["cache-control"] = "no-store"
        if wait:
            page.headers["retry-after"] = str(math.ceil(wait))
        return page


def with_access_control(app: ASGIApp, options: ConsoleOptions, clock: Callable[[], float]) -> ASGIApp:
    """Return the application behind its checks. Raises ConfigError."""
    options.check()
    gate = TokenGate(app, options.token, clock, generated=options.generated)
    # Whoever chose a token may have put a proxy with another name in front.
    anything = not options.names and not (options.generated and options.loopback)
    return OriginCheck(gate, None if anything else options.names)


def is_cross_site(method: str, path: str, headers: Headers) -> bool:
    """Return whether a page that is not ours makes this request.

    A following of a link to a page is not that.
    """
    site = headers.get("sec-fetch-site", "")
    if site:
        followed = (
            method == "GET" and headers.get("sec-fetch-mode") == "navigate" and not path.startswith("/api/")
        )
        return site not in ("same-origin", "none") and not followed
    origin = headers.get("origin", "")
    if method in _SAFE or not origin:
        # Old browsers send an origin with everything that changes something; programs send none.
        return False
    scheme, _, place = origin.partition("://")
    return scheme not in ("http", "https") or place.lower() != headers.get("host", "").lower()


def error_response(status: int, code: str, text: str) -> JSONResponse:
    """Return an error in the API's shape."""
    return JSONResponse({"error": {"code": code, "text": text}}, status)


def _please_sign_in(request: Request) -> Response:
    path, accepted = request.url.path, request.headers.get("accept", "")
    wants_page = path == "/" or ("text/html" in accepted and not path.startswith("/api/"))
    if wants_page and request.method in ("GET", "HEAD"):
        return RedirectResponse("/signin", 303)
    text = "Say Authorization: Bearer TOKEN, with console.token or the file `token` of the data folder."
    answer = error_response(401, "sign_in", text)
    answer.headers["www-authenticate"] = "Bearer"
    return answer


def _too_many(wait: float) -> Response:
    answer = error_response(429, "too_many_attempts", "Too many wrong tokens; please wait.")
    answer.headers["retry-after"] = str(math.ceil(wait))
    return answer


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
