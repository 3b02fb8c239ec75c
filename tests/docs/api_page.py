"""`python -m tests.docs.api_page`: write docs/openapi.json and the operations of docs/api.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from parley.app.openapi.document import build_document
from tests.kit.checkout import ROOT

PAGE = ROOT / "docs" / "api.md"
DOCUMENT = ROOT / "docs" / "openapi.json"
FILES = (PAGE, DOCUMENT)
_PLACE = re.compile(r"(<!-- operations: begin -->\n).*?(<!-- operations: end -->)", re.DOTALL)

Node = Mapping[str, Any]


def render_files() -> dict[Path, str]:
    """Return both files as they should be."""
    document: Node = build_document()
    # A release has another version, and the same API.
    shown = {**document, "info": {**document["info"], "version": "latest"}}
    operations = "\n".join(_lines(document))
    page = _PLACE.sub(lambda found: f"{found[1]}{operations}\n{found[2]}", PAGE.read_text("utf-8"))
    return {PAGE: page, DOCUMENT: json.dumps(shown, indent=1, ensure_ascii=False) + "\n"}


def _lines(document: Node) -> Iterator[str]:
    for tag in document["tags"]:
        yield from ("", f"### {tag['name']}", "")
        yield from ("| request | does | answers |", "|---|---|---|")
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    request = f"`{method.upper()} {path}`{_takes(operation)}"
                    yield f"| {request} | {operation['summary']} | {_gives(operation)} |"
    yield from ("", "## Types", "")
    for name, schema in sorted(document["components"]["schemas"].items()):
        if "properties" in schema:
            yield from (f"### {name}", "", *_about(schema), "| field | type |", "|---|---|")
            needed = set(schema.get("required", ()))
            for field, value in schema["properties"].items():
                yield f"| `{field}`{'' if field in needed else ' (optional)'} | {_type(value)} |"
            yield ""


@cache
def _schemas() -> Node:
    document: Node = build_document()
    schemas: Node = document["components"]["schemas"]
    return schemas


def _about(schema: Node) -> Iterator[str]:
    if text := schema.get("description", ""):
        yield from (" ".join(text.split()), "")


def _takes(operation: Node) -> str:
    query = [each["name"] for each in operation["parameters"] if each["in"] == "query"]
    parts = [f" `?{'=&'.join(query)}=`"] if query else []
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f" with {_type(content['schema']) if media.endswith('json') else f'`{media}`'}")
    return "".join(parts)


def _gives(operation: Node) -> str:
    (status, done), *refused = operation["responses"].items()
    content = [
        _type(each["schema"]) if media.endswith("/json") else f"`{media}`"
        for media, each in done.get("content", {}).items()
    ]
    others = f"; {', '.join(code for code, _ in refused)}" if refused else ""
    return f"{status}{' ' if content else ''}{''.join(content)}{others}"


def _type(schema: Node) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        shown = _schemas()[name]
        return f"[{name}](#{name.lower()})" if "properties" in shown else _type(shown)
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{each}`" for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


if __name__ == "__main__":
    for path, text in render_files().items():
        path.write_text(text, "utf-8")
