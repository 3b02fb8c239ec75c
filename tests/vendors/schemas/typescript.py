"""JSON checked by TypeScript against the types that a vendor declares: one line for each value."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from parley.core.model.types import Json
from tests.vendors.node_bot import SDKS

_HEAD = """\
type Partly<T> = T extends (infer E)[] ? Partly<E>[]
  : T extends string ? `${T}`  // the words of an enum, which JSON has as they are
  : T extends object ? {[K in keyof T]?: Partly<T[K]>} : T;
type SpelledOut<V> = V extends boolean ? "true" | "false" | "1" | "0"
  : V extends number ? `${number}` : never;
type Spelled<T> = T extends unknown ? {[K in keyof T]: T[K] | SpelledOut<T[K]>} : never;
"""
_ERROR = re.compile(r"^[^(\n]+\((\d+),\d+\): error (TS\d+: .*(?:\n +.*)*)", re.MULTILINE)
_UNKNOWN = re.compile(r"known properties, .*?'\"?(\w+)\"?' does not exist in type")
_OPTIONS = (
    *("--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"),
    *("--target", "es2022", "--lib", "es2022,dom", "--noErrorTruncation"),
)


@dataclass(frozen=True)
class TypedValue:
    """A value, the type that it must have, and what it is."""

    value: Json
    kind: str
    what: str


def wrong_values(name: str, imports: str, values: Sequence[TypedValue]) -> list[str]:
    """Return what TypeScript says against values; `imports` is one line."""
    assert (SDKS / "node_modules").is_dir(), f"the SDKs are not in {SDKS}: run make vendors"
    head = imports + "\n" + _HEAD
    first = head.count("\n") + 1
    lines = [
        f"export const v{number}: {each.kind} = {json.dumps(each.value, ensure_ascii=True)};"
        for number, each in enumerate(values)
    ]
    folder = SDKS / "shapes"
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}-{os.getpid()}.ts"
    file.write_text(head + "\n".join(lines) + "\n", "utf-8")
    command = ["node", str(SDKS / "node_modules/typescript/bin/tsc"), *_OPTIONS, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = _ERROR.findall(done.stdout)
    assert found or done.returncode == 0, done.stdout + done.stderr
    broken = [words for line, words in found if int(line) < first]
    assert not broken, broken
    return [f"{values[int(line) - first].what}: {_briefly(words)}" for line, words in found]


def _briefly(words: str) -> str:
    """Return the words without the whole type that they name."""
    field = _UNKNOWN.search(words)
    return f"{field[1]} is not declared" if field else " ".join(words.split())[:400]
