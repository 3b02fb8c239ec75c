"""Who asks, for the development server: whoever Parley says, if it is Parley. As in docs/identity.md."""

from __future__ import annotations

from urllib.parse import unquote

from langgraph_sdk import Auth

TOKEN = b"a-token-of-the-tests"

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> str:
    """The person of the request."""
    if headers.get(b"authorization") != b"Bearer " + TOKEN:
        raise Auth.exceptions.HTTPException(status_code=401, detail="no token")
    return unquote(headers[b"x-parley-person"].decode())
