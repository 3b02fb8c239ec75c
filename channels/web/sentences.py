"""The page's sentences as one of its modules: they are written in `parley.core.texts`."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response

from parley.core.texts import PAGE_CATALOGUE

PATH = "/page/kit/sentences.js"


def sentences_module() -> str:
    """Return the JavaScript of the module: every sentence of the page, by language and name."""
    return f"export const SENTENCES = {json.dumps(PAGE_CATALOGUE, ensure_ascii=False, indent=2)};\n"


async def serve_sentences(request: Request) -> Response:
    """Answer with the module; it is always asked for again, as the page's files are."""
    return Response(sentences_module(), media_type="text/javascript", headers={"cache-control": "no-cache"})
