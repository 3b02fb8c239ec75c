"""What DingTalk answers when it does not do as asked: the open API's way, and the older one's."""

from __future__ import annotations


class DingTalkErrorResponse(Exception):
    """An answer with a status of at least 400, a code and words."""

    def __init__(self, status: int, code: str, words: str) -> None:
        super().__init__(f"{status} {code}: {words}")
        self.status = status
        self.code = code
        self.words = words


class OapiErrorResponse(Exception):
    """An answer of the older API: status 200 and an `errcode`."""

    def __init__(self, number: int, words: str) -> None:
        super().__init__(f"{number}: {words}")
        self.number = number
        self.words = words


def bad_request(code: str, words: str) -> DingTalkErrorResponse:
    """Return a 400."""
    return DingTalkErrorResponse(400, code, words)


def too_many() -> DingTalkErrorResponse:
    """Return a 403: what DingTalk says for too many calls a second. It names no time to wait."""
    return DingTalkErrorResponse(
        403, "Forbidden.AccessDenied.QpsLimitForApi", "QPS limit of the API was exceeded"
    )
