"""What DingTalk answers when it does not do as asked: the open API's way, and the older one's."""

from __future__ import annotations

from parley.simulator.kit.limits import load_limits

_THROTTLE = load_limits("dingtalk")["throttle_code"].whole


class DingTalkErrorResponse(Exception):
    """An answer with a status of at least 400, a code and words."""

    def __init__(self, status: int, code: str, words: str) -> None:
        super().__init__(f"{status} {code}: {words}")
        self.status = status
        self.code = code
        self.words = words

    def body(self) -> dict[str, object]:
        """Return what is answered; with status 200 it is the throttle's, or says that it did not work."""
        if self.status != 200:
            return {"code": self.code, "message": self.words, "requestid": "simulated"}
        if self.code == str(_THROTTLE):
            return {"status": _THROTTLE, "wait": float(self.words or 0), "message": "access is limited"}
        return {"success": False, "result": False}


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
