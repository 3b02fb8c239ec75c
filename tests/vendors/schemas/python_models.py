"""The models in the vendors' Python SDKs, read as text: which calls there are, with which fields.

They are not imported: that takes seconds, and much memory, for what a few patterns find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_CLASS = re.compile(r"^class (\w+)\(.*?\):\n(.*?)(?=^class |\Z)", re.MULTILINE | re.DOTALL)
_TYPES = re.compile(r"_types = \{\n(.*?)\n    \}", re.DOTALL)
_TYPED = re.compile(r"\"(\w+)\": (.+?),?$", re.MULTILINE)
_ANNOTATED = re.compile(r"^        (\w+): (.+?) = None,$", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^        self\.(\w+): (?:Optional\[)?(.+?)\]? = (?:None|\{\})", re.MULTILINE)
_PARAMETER = re.compile(r"(\w+): (\w+(?:\[[\w, ]+\])?) = None[,)]")
_MAPPED = re.compile(r"result\['(\w+)'\] =")
_READ = re.compile(r"err\.get\('(\w+)'\)")
REFUSAL = "refusal"
"""The name of the model of what a platform answers when it refuses."""
_CALL = re.compile(
    r"action='(\w+)',\s+version='[^']*',\s+protocol='\w+',\s+pathname=f'([^']*)',\s+method='(\w+)'"
)
_PLAIN: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
}


@dataclass(frozen=True)
class VendorCall:
    """A call as a vendor declares it: the names of its models, "" for none."""

    method: str
    path: re.Pattern[str]
    body: str
    answer: str
    query: frozenset[str] = frozenset()


@dataclass
class VendorModels:
    """Fields with their types by model, and the calls."""

    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    calls: list[VendorCall] = field(default_factory=list)

    def call(self, method: str, path: str) -> VendorCall | None:
        """Return a call, the one with the fewest variables in its path; None for one that is not declared."""
        found = [each for each in self.calls if each.method == method and each.path.fullmatch(path)]
        return min(found, key=lambda each: each.path.pattern.count("[^/]+"), default=None)

    def wrong(self, value: object, kind: str, where: str, *, spelled: bool = False) -> Iterator[str]:
        """Yield what of a JSON value is not as its type says; `spelled` takes numbers in texts."""
        inner = re.fullmatch(r"(?:List|Dict)\[(?:str, )?(.+)\]", kind)
        if value is None:
            return
        if inner is not None:
            wanted = list if kind.startswith("List") else dict
            if not isinstance(value, wanted):
                yield f"{where} is {value!r}"
                return
            entries = value if isinstance(value, list) else list(value.values())
            for each in entries:
                yield from self.wrong(each, inner[1], f"{where}[]", spelled=spelled)
        elif kind in _PLAIN:
            if not _is_plain(value, kind, spelled=spelled):
                yield f"{where} is {value!r}, no {kind}"
        elif kind in self.fields:
            yield from self._wrong_fields(value, kind, where, spelled=spelled)

    def _wrong_fields(self, value: object, kind: str, where: str, *, spelled: bool) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{where} is {value!r}, no {kind}"
            return
        known = self.fields[kind]
        for key, inner in value.items():
            if key not in known:
                yield f"{where}.{key} is not declared"
            else:
                yield from self.wrong(inner, known[key], f"{where}.{key}", spelled=spelled)


def _is_plain(value: object, kind: str, *, spelled: bool) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    if spelled and kind in ("int", "bool") and isinstance(value, str):
        return value.isdecimal() or value in ("true", "false")
    return isinstance(value, _PLAIN[kind])


def read_feishu(package: Path, *services: str) -> VendorModels:
    """Return what lark_oapi declares of services such as `im/v1`, and of presses on cards."""
    models = VendorModels()
    folders = [package / "api" / service / "model" for service in services]
    for folder in (*folders, package / "event" / "callback" / "model"):
        for file in sorted(folder.glob("*.py")):
            text = file.read_text("utf-8")
            for name, body in _CLASS.findall(text):
                if (types := _TYPES.search(body)) is not None:
                    models.fields[name] = dict(_TYPED.findall(types[1]))
            models.calls += _feishu_call(file, text)
    return models


def read_feishu_envelope(package: Path) -> VendorModels:
    """Return what lark_oapi declares of refusals, headers of events, and acknowledgements."""
    models = read_feishu(package)
    for name in ("core/model/error.py", "core/model/base_response.py", "event/context.py", "ws/model.py"):
        for model, body in _CLASS.findall((package / name).read_text("utf-8")):
            kinds = _ATTRIBUTE.findall(body) or _PARAMETER.findall(body)
            models.fields[model] = dict(kinds) | dict(_TYPED.findall(body))
    # The answer of each call is a BaseResponse, and has its data beside.
    models.fields[REFUSAL] = models.fields.pop("BaseResponse") | {"data": "Any"}
    return models


def read_dingtalk_refusal(client: Path) -> VendorModels:
    """Return what the gateway's client reads of a refusal; it spells each name in two ways."""
    names = {name for name in _READ.findall(client.read_text("utf-8")) if name.islower()}
    assert {"code", "message", "requestid"} <= names
    kinds = {name: "Any" if name == "accessdenieddetail" else "str" for name in names}
    return VendorModels({REFUSAL: kinds})


def _feishu_call(file: Path, text: str) -> Iterator[VendorCall]:
    method = re.search(r"http_method = HttpMethod\.(\w+)", text)
    uri = re.search(r"\.uri = \(?\s*\"([^\"]+)\"", text)
    if method is None or uri is None:
        return
    name = "".join(part.capitalize() for part in file.stem.removesuffix("_request").split("_"))
    body = re.search(r"request_body: Optional\[(\w+)\]", text)
    query = frozenset(re.findall(r"add_query\(\s*\"(\w+)\"", text))
    path = re.compile(re.sub(r":\w+", "[^/]+", uri[1]))
    yield VendorCall(method[1], path, body[1] if body else "", f"{name}ResponseBody", query)


def read_dingtalk(package: Path, *services: str) -> VendorModels:
    """Return what alibabacloud_dingtalk declares of services such as `card_1_0`."""
    models = VendorModels()
    for service in services:
        for name, body in _CLASS.findall((package / service / "models.py").read_text("utf-8")):
            spelled = {key.lower(): key for key in _MAPPED.findall(body)}
            models.fields[name] = {
                spelled[known]: kind
                for each, kind in _ANNOTATED.findall(body)
                if (known := each.replace("_", "").lower()) in spelled
            }
        found = set(_CALL.findall((package / service / "client.py").read_text("utf-8")))
        for action, path, method in sorted(found):
            pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
            models.calls.append(VendorCall(method, pattern, f"{action}Request", f"{action}ResponseBody"))
    return models
