"""What a vendor's TypeScript declarations say of JSON: fields and their kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^(?:export )?(?:declare )?(interface|enum|type) (\w+)(?: extends ([\w, ]+))?(?: = [\w& ]+)? \{\n"
    r"(.*?)^\};?",
    re.MULTILINE | re.DOTALL,
)
_FIELD = re.compile(r"^ {4}\"?(\w+)\"?\??: (.+?);?$", re.MULTILINE)
_PLAIN = {"string": str, "number": int | float, "boolean": bool}


@dataclass(frozen=True, slots=True)
class DeclaredTypes:
    """Interfaces by name, each with its fields and their types; and the names of enums."""

    fields: Mapping[str, Mapping[str, str]]
    enums: frozenset[str]

    @classmethod
    def read(cls, *files: Path) -> DeclaredTypes:
        """Return what the files declare; where they declare a name several times, all of its fields."""
        fields: dict[str, dict[str, str]] = {}
        extended: dict[str, list[str]] = {}
        enums = set()
        for kind, name, parents, body in (
            each for file in files for each in _BLOCK.findall(file.read_text())
        ):
            if kind == "enum":
                enums.add(name)
            fields.setdefault(name, {}).update(_FIELD.findall(body))
            extended.setdefault(name, []).extend(filter(None, parents.split(", ")))
        whole = {name: _whole(name, fields, extended) for name in fields}
        return cls(whole, frozenset(enums))

    def wrong(self, value: object, kind: str, where: str) -> list[str]:
        """Return what of a JSON value is not as its type says."""
        if kind.endswith("[]"):
            if not isinstance(value, list):
                return [f"{where} is {value!r}"]
            return [each for entry in value for each in self.wrong(entry, kind[:-2], f"{where}[]")]
        if kind in _PLAIN or kind in self.enums:
            return [] if isinstance(value, _PLAIN.get(kind, str)) else [f"{where} is {value!r}"]
        if kind not in self.fields or not isinstance(value, dict):
            return [] if kind not in self.fields else [f"{where} is {value!r}"]
        return list(self._wrong_fields(value, kind, where))

    def _wrong_fields(self, value: Mapping[str, object], kind: str, where: str) -> Iterator[str]:
        known = self.fields[kind]
        for key, inner in value.items():
            if key not in known:
                yield f"{where}.{key} is not declared"
            else:
                yield from self.wrong(inner, known[key], f"{where}.{key}")


def _whole(
    name: str, fields: Mapping[str, Mapping[str, str]], extended: Mapping[str, list[str]]
) -> dict[str, str]:
    inherited = [_whole(parent, fields, extended) for parent in extended.get(name, ()) if parent in fields]
    return {key: kind for each in (*inherited, fields[name]) for key, kind in each.items()}
