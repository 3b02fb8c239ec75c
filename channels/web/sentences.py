"""The page's sentences as one of its modules: they are written in `parley.core.texts`."""

from __future__ import annotations

import json
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from parley.core.texts import PAGE_CATALOGUE, SETUP_CATALOGUE

PATH = "/page/kit/sentences.js"


def sentences_module() -> str:
    """Return the JavaScript of the module: every sentence of the page, by language and name.

    Those of the first set-up are among them: the terminal says them, too.
    """
    sentences = {name: {**PAGE_CATALOGUE[name], **SETUP_CATALOGUE[name]} for name in PAGE_CATALOGUE}
    return f"export const SENTENCES = {json.dumps(sentences, ensure_ascii=False, indent=2)};\n"


_MODULE = sentences_module().encode()
_HEADERS = {"cache-control": "no-cache", "etag": f'"{sha256(_MODULE).hexdigest()}"'}


async def serve_sentences(request: Request) -> Response:
    """Answer with the module; always asked for again, as the page's files are, and sent if it changed."""
    if request.headers.get("if-none-match") == _HEADERS["etag"]:
        return Response(status_code=304, headers=_HEADERS)
    return Response(_MODULE, media_type="text/javascript", headers=_HEADERS)
