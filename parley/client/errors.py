"""What the client raises."""

from __future__ import annotations

from parley.core.model.errors import ParleyError


class ClientError(ParleyError):
    """Parley did not do it: `status` as in HTTP (0 where there was no answer), and `code` for programs."""

    def __init__(self, user_text: str, status: int = 0, code: str = "unreachable") -> None:
        super().__init__(user_text)
        self.status, self.code = status, code
