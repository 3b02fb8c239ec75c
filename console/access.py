"""Who may speak to the console: host, origin and token, as pure ASGI middleware.

A page of another site that is open in the same browser must reach nothing: neither by sending requests
here (origin) nor by pointing its own name at this machine (host). Everybody else is let in by where they
are, on loopback without a token, or by the token.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from console.options import ConsoleOptions, is_loopback
from console.signin import STYLE_HASH, signin_page
from console.tokens import Attempts, TokenCheck

COOKIE = "parley_signin"
_OPEN = frozenset({"/livez", "/readyz"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_MAX_FORM = 4096
_MONTH = 30 * 86_400


class SameSite:
    """Turns away requests that another site's page makes, and names that are not ours."""

    def __init__(self, app: ASGIApp, loopback_only: bool) -> None:
        self._app = app
        self._loopback_only = loopback_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        app = self._app
        if self._loopback_only and not is_loopback(_host_name(headers.get("host", ""))):
            app = refusal(421, "wrong_host", "This server answers to localhost and 127.0.0.1 only.")
        elif is_foreign(scope["method"], scope["path"], headers):
            app = refusal(403, "foreign_origin", "Requests from other sites are not taken.")
        await app(scope, receive, send)


class TokenGate:
    """Lets those in who bring the token, and shows the others the sign-in page."""

    def __init__(self, app: ASGIApp, token: str, clock: Callable[[], float]) -> None:
        self._app = app
        self._check = TokenCheck(token)
        self._attempts = Attempts(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _OPEN:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = await self._signin(request) if scope["path"] == "/signin" else self._refusal(request)
        await (answer or self._app)(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        """None for a good credential."""
        said = request.headers.get("authorization", "")
        bearer = said[7:].strip() if said[:7].lower() == "bearer " else ""
        cookie = _cookie(request.headers.get("cookie", ""))
        address = _address(request)
        if not bearer and not cookie:
            return _please_sign_in(request)
        if wait := self._attempts.wait(address):
            return _too_many(wait)
        good = self._check.is_token(bearer) if bearer else self._check.is_cookie(cookie)
        if good:
            return None
        self._attempts.failed(address)
        answer = _please_sign_in(request)
        if cookie:
            answer.delete_cookie(COOKIE)
        return answer

    async def _signin(self, request: Request) -> Response:
        if request.method != "POST":
            return _page(request)
        address = _address(request)
        if wait := self._attempts.wait(address):
            return _page(request, "wait", 429, wait)
        token = await _form_token(request)
        if not self._check.is_token(token):
            self._attempts.failed(address)
            return _page(request, "wrong", 401)
        answer = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(
            COOKIE, self._check.cookie, max_age=_MONTH, httponly=True, samesite="lax", secure=secure
        )
        return answer


def guarded(app: ASGIApp, options: ConsoleOptions, clock: Callable[[], float]) -> ASGIApp:
    """The application behind the checks that its options ask for. Raises ConfigError."""
    options.check()
    if options.token:
        app = TokenGate(app, options.token, clock)
    return SameSite(app, loopback_only=not options.token)


def is_foreign(method: str, path: str, headers: Headers) -> bool:
    """Whether a page that is not ours makes this request. A following of a link to a page is not that."""
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
    return origin.partition("://")[2].lower() != headers.get("host", "").lower()


def refusal(status: int, code: str, text: str) -> JSONResponse:
    """An error in the API's shape."""
    return JSONResponse({"error": {"code": code, "text": text}}, status)


def _please_sign_in(request: Request) -> Response:
    wants_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if wants_page and not request.url.path.startswith("/api/"):
        return RedirectResponse("/signin", 303)
    answer = refusal(401, "sign_in", "A token is needed: Authorization: Bearer <console.token>.")
    answer.headers["www-authenticate"] = "Bearer"
    return answer


def _too_many(wait: float) -> Response:
    answer = refusal(429, "too_many_attempts", "Too many wrong tokens; please wait.")
    answer.headers["retry-after"] = str(math.ceil(wait))
    return answer


def _page(request: Request, state: str = "", status: int = 200, wait: float = 0.0) -> Response:
    page = HTMLResponse(signin_page(request.headers.get("accept-language", ""), state), status)
    page.headers["content-security-policy"] = (
        f"default-src 'none'; style-src '{STYLE_HASH}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    page.headers["cache-control"] = "no-store"
    if wait:
        page.headers["retry-after"] = str(math.ceil(wait))
    return page


async def _form_token(request: Request) -> str:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MAX_FORM:
                return ""
    except ClientDisconnect:
        return ""
    fields = parse_qs(body.decode("latin-1"))
    return fields.get("token", [""])[0]


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if ":" in host else host
