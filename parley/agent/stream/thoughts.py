"""Thoughts that a model writes into its text, between tags (pure)."""

from __future__ import annotations

_TAGS = ("<think>", "<thinking>")
_FENCE, _TICK = "```", "`"


def split_thoughts(text: str, *, ended: bool) -> tuple[str, bool]:
    """`text` without what stands between `<think>` and `</think>`, and whether it ends within a thought.

    Tags in code are left as they are. While a message grows (not `ended`), what may become a tag is left
    out; where it has ended, a thought that something stands before and that is never closed is no thought.
    """
    if "<" not in text:
        return text, False
    text = _after_lone_closing(text)
    shown: list[str] = []
    code = _Code(text)
    at = look = 0
    while (found := _opening(text, look)) is not None:
        start, tag = found
        if code.covers(start):
            look = start + len(tag)
            continue
        closing = text.find("</" + tag[1:], start)
        if closing < 0:
            if ended and text[:start].strip():
                break
            return _joined([*shown, text[at:start]]), True
        shown.append(text[at:start])
        at = look = closing + len(tag) + 1
        code.skip(at)
    shown.append(text[at:] if ended else _without_beginning(text[at:]))
    return _joined(shown), False


class _Code:
    """Tells whether a place is within code, for places that only go forward."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._seen = 0
        self._fences = 0
        self._ticks = 0

    def covers(self, place: int) -> bool:
        piece = self._text[self._seen : place]
        self._seen = place
        self._fences += piece.count(_FENCE)
        line = piece.rfind("\n")
        if line >= 0:
            self._ticks, piece = 0, piece[line:]
        self._ticks += piece.count(_TICK) - len(_FENCE) * piece.count(_FENCE)
        return self._fences % 2 == 1 or self._ticks % 2 == 1

    def skip(self, place: int) -> None:
        self._seen = place


def _opening(text: str, start: int) -> tuple[int, str] | None:
    """The first opening tag from `start` on."""
    at = text.find("<think", start)
    while at >= 0:
        for tag in _TAGS:
            if text.startswith(tag, at):
                return at, tag
        at = text.find("<think", at + 1)
    return None


def _after_lone_closing(text: str) -> str:
    """What follows a closing tag whose opening one the model was given, and did not write itself."""
    for tag in _TAGS:
        closing = "</" + tag[1:]
        at = text.find(closing)
        rest = text[at + len(closing) :]
        if at >= 0 and tag not in text[:at] and rest[:1] in ("", "\n") and not _Code(text).covers(at):
            return rest.lstrip()
    return text


def _without_beginning(text: str) -> str:
    """`text` without a part at its end that may become an opening tag."""
    for length in range(len(_TAGS[1]) - 1, 0, -1):
        if text.endswith(_TAGS[1][:length]):
            return text[:-length]
    return text


def _joined(shown: list[str]) -> str:
    whole = "".join(shown)
    return whole.lstrip() if len(shown) > 1 and not shown[0].strip() else whole
