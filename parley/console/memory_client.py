"""A client of the memory API: the same answers, from Python."""

from __future__ import annotations

from types import TracebackType
from typing import cast
from urllib.parse import quote

import httpx

from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json, JsonObject

_TIMEOUT = 30.0


class MemoryRefused(MemoryFailed):
    """The server did not do it: `status` as in HTTP (0 when it was not reached), and `code`."""

    def __init__(self, user_text: str, status: int, code: str) -> None:
        super().__init__(user_text)
        self.status = status
        self.code = code


class MemoryClient:
    """One person's memory at a running Parley; without `person`, that of the chat page.

    Memories are documents of schema 1.0. Every method raises MemoryRefused: 404 for a fact that there is
    not, 409 for one that is known already or while memory is off, 422 for values that cannot be.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8765",
        token: str = "",
        *,
        person: str = "",
        timeout: float = _TIMEOUT,
    ) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._params = {"person": person} if person else {}
        self._http = httpx.Client(base_url=base_url, headers=headers, timeout=timeout, trust_env=False)

    def __enter__(self) -> MemoryClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def get_memory(self) -> JsonObject:
        """The whole memory; an empty one for a stranger."""
        return self._ask("GET", "")

    def reload_memory(self) -> JsonObject:
        """The whole memory, read from disk anew."""
        return self._ask("POST", "/reload")

    def get_memory_config(self) -> JsonObject:
        """How memory is configured, without anything secret."""
        return self._ask("GET", "/config")

    def get_memory_status(self) -> JsonObject:
        """`config`, `data` (the memory), `person` (id, on, waiting) and `health`."""
        return self._ask("GET", "/status")

    def search_memory(self, words: str) -> JsonObject:
        """`facts`: the ids of those that are about the words, best first."""
        return self._ask("GET", "/search", words=words)

    def get_memory_people(self) -> JsonObject:
        """`people` of whom anything is remembered, and `own`, who writes on the chat page."""
        return self._ask("GET", "/people")

    def create_memory_fact(
        self, content: str, category: str = "context", confidence: float = 1.0
    ) -> JsonObject:
        """Remember something; returns the whole memory."""
        return self._ask(
            "POST", "/facts", {"content": content, "category": category, "confidence": confidence}
        )

    def update_memory_fact(
        self,
        fact_id: str,
        content: str | None = None,
        category: str | None = None,
        confidence: float | None = None,
    ) -> JsonObject:
        """Correct a fact; None leaves a thing as it is. Returns the whole memory."""
        change: dict[str, Json] = {"content": content, "category": category, "confidence": confidence}
        return self._ask("PATCH", f"/facts/{quote(fact_id, safe='')}", change)

    def delete_memory_fact(self, fact_id: str) -> JsonObject:
        """Forget a fact; returns the whole memory."""
        return self._ask("DELETE", f"/facts/{quote(fact_id, safe='')}")

    def export_memory(self) -> JsonObject:
        """The whole memory, to be kept or taken elsewhere."""
        return self._ask("GET", "/export")

    def import_memory(self, document: JsonObject) -> JsonObject:
        """Put a memory in the place of this one; returns what it is then."""
        return self._ask("POST", "/import", document)

    def export_memory_as(self, shape: str) -> Json:
        """The memory in the shape of another program: `mem0` or `chatgpt`; `parley` is ours."""
        return cast("Json", self._ask("GET", f"/export/{quote(shape, safe='')}"))

    def preview_import(self, text: str) -> JsonObject:
        """What `add_import` would do: counts, and the first `facts` that would be new."""
        return self._ask("POST", "/import/preview", {"text": text})

    def add_import(self, text: str) -> JsonObject:
        """Add the memories in a text to those that are there: counts, and `data`, the memory then."""
        return self._ask("POST", "/import/add", {"text": text})

    def undo_memory(self) -> JsonObject:
        """Take the last change back: `result` (done, nothing, forgotten), and `data`, the memory then."""
        return self._ask("POST", "/undo")

    def get_told(self, conversation: str) -> JsonObject:
        """What the agent was told for the last answer in a conversation, named by its key, and why."""
        return self._ask("GET", "/told", conversation=conversation)

    def clear_memory(self) -> JsonObject:
        """Forget everything, also what was still to be learned; returns the empty memory."""
        return self._ask("DELETE", "")

    def switch_memory(self, on: bool) -> JsonObject:
        """Learn and recall, or neither; returns the person's `id`, `on` and `waiting`."""
        return self._ask("PUT", "/switch", {"on": on})

    def get_dead_letters(self) -> JsonObject:
        """`dead_letters`: everybody's turns that could not be learned from, newest first."""
        return self._ask("GET", "/dead-letters")

    def retry_dead_letter(self, item: int) -> None:
        """Learn from one of them after all."""
        self._ask("POST", f"/dead-letters/{item}/retry")

    def _ask(self, method: str, path: str, body: JsonObject | None = None, **query: str) -> JsonObject:
        try:
            params = {**self._params, **query}
            response = self._http.request(method, f"/api/memory{path}", params=params, json=body)
        except httpx.HTTPError as error:
            raise MemoryRefused(f"Parley cannot be reached: {error}", 0, "unreachable") from error
        if response.is_success:
            return cast("JsonObject", response.json()) if response.content else {}
        raise _refused(response)


def _refused(response: httpx.Response) -> MemoryRefused:
    try:
        problem = response.json()["error"]
        return MemoryRefused(problem["text"], response.status_code, problem["code"])
    except (ValueError, KeyError, TypeError):
        text = f"{response.status_code} {response.reason_phrase}"
        return MemoryRefused(text, response.status_code, "")
