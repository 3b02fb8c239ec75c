"""The files of a support bundle, each made of what may be in it."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import distributions

from prometheus_client.parser import text_string_to_metric_families

from parley.app.doctor.bundle.masking import ChannelNames, mask_place, mask_settings
from parley.app.doctor.context import DoctorContext, RunningState
from parley.app.doctor.report import describe_report, describe_result, exit_code
from parley.app.doctor.result import CheckResult
from parley.app.doctor.versions import declared_packages
from parley.core.hitl.audit import AUDIT_PREFIX
from parley.core.hitl.records import QUESTION_PREFIX
from parley.core.model.queues import BUSY_SIGNALS, CLEARING, COMMANDS, LEARNING, QUESTIONS, TURNS
from parley.core.model.types import Json
from parley.core.state.conversations import CONVERSATION_PREFIX
from parley.core.state.feedback import FEEDBACK_PREFIX
from parley.core.state.heard_messages import HEARD_PREFIX
from parley.core.state.sent_messages import SENT_PREFIX
from parley.store.diagnosis import StoreStatistics
from parley.version import VERSION

_QUEUES = frozenset({BUSY_SIGNALS, CLEARING, COMMANDS, LEARNING, QUESTIONS, TURNS})
_PREFIXES = frozenset(
    each.rstrip("/")
    for each in (
        AUDIT_PREFIX,
        QUESTION_PREFIX,
        CONVERSATION_PREFIX,
        FEEDBACK_PREFIX,
        HEARD_PREFIX,
        SENT_PREFIX,
    )
) | {"account", "busy", "health", "memory", "memory-aside", "memory-person", "paired", "web"}
_LABELS = frozenset({"le", "quantile", "outcome", "state", "kind", "stage"})
_CHANNEL_LABELS = frozenset({"channel", "part"})
_PARTS = frozenset({"store", "agent", "nodes"})
_LABEL_VALUE = re.compile(r"[a-z0-9_.+-]{1,24}|\+Inf")
_VERSION = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}(?:(?:a|b|rc|\.post|\.dev)[0-9]{1,9})?")
_OURS = ("parley_", "process_", "python_")


def build_contents(
    context: DoctorContext,
    results: Sequence[CheckResult],
    statistics: StoreStatistics | str,
    log: Iterable[Json],
) -> dict[str, bytes]:
    """Return the files by their names; `statistics` may be the name of the error in the place of numbers."""
    names = ChannelNames.read(context.loaded)
    running = context.running
    return {
        "versions.json": _json(_versions()),
        "config.json": _json(mask_settings(context.loaded, names)),
        "doctor.json": _json(_doctor(context, results, names)),
        "store.json": _json(_store(statistics, names)),
        "health.json": _json(_health(running, names)),
        "metrics.json": _json(_metrics(running.metrics if running else "", names)),
        "log.jsonl": b"".join(json.dumps(line).encode() + b"\n" for line in log),
    }


def _json(value: Json) -> bytes:
    return json.dumps(value, indent=2, sort_keys=True).encode() + b"\n"


def _versions() -> Json:
    """Return the versions of Python, the system and the packages that Parley declares, and of no others."""
    declared = declared_packages()
    packages: dict[str, Json] = {
        each.metadata["Name"].lower(): _public(each.version)
        for each in distributions()
        if each.metadata["Name"] and each.metadata["Name"].lower() in declared
    }
    # Who builds a kernel, or a package, may have put a name behind its number.
    system = f"{platform.system()} {_public(platform.release())} {platform.machine()}"
    return {"parley": VERSION, "python": platform.python_version(), "system": system, "packages": packages}


def _public(version: str) -> str:
    """Return the numbers that a version begins with."""
    found = _VERSION.match(version)
    return found[0] if found else ""


def _doctor(context: DoctorContext, results: Sequence[CheckResult], names: ChannelNames) -> Json:
    """Return the report; of texts only those that consist of our own words and numbers."""
    checks: list[Json] = []
    for each in results:
        described = describe_result(each)
        described["name"] = _mask_name(each.name, names)
        described["place"] = mask_place(each.place, context.loaded, names)
        if not each.plain:
            described["text"] = described["remedy"] = ""
        checks.append(described)
    return describe_report(checks, exit_code(results), context.clock())


def _mask_name(name: str, names: ChannelNames) -> str:
    first, *rest = name.split(".")
    if first == "channels" and rest:
        middle, last = ".".join(rest[:-1]), rest[-1]
        return f"channels.{names.show(middle)}.{last}"
    return name


def _store(statistics: StoreStatistics | str, names: ChannelNames) -> Json:
    if isinstance(statistics, str):
        return {"error": statistics}
    items: list[Json] = [
        {"queue": _mask_queue(queue, names), "state": state, "count": count, "oldest": round(age)}
        for queue, state, count, age in statistics.items
    ]
    documents: dict[str, Json] = {}
    for prefix, count in statistics.documents.items():
        shown = prefix if prefix in _PREFIXES else "other"
        before = documents.get(shown, 0)
        documents[shown] = (before if isinstance(before, int) else 0) + count
    return {
        "engine": statistics.engine,
        "schema": statistics.schema,
        "bytes": statistics.bytes,
        "items": items,
        "documents": documents,
    }


def _mask_queue(queue: str, names: ChannelNames) -> str:
    kind, _, channel = queue.partition("/")
    shown = kind if kind in _QUEUES else "other"
    return f"{shown}/{names.show(channel)}" if channel else shown


def _health(running: RunningState | None, names: ChannelNames) -> Json:
    """Return how each part is, and since when, without the details, which may quote others."""
    if running is None:
        return {"running": False}
    parts: list[Json] = [
        {"name": _part(name, names), "health": report.health.value, "since": report.since}
        for name, report in running.reports.items()
    ]
    return {"running": True, "ready": not running.ready, "parts": parts}


def _part(name: str, names: ChannelNames) -> str:
    return name if name in _PARTS else names.show(name)


def _metrics(text: str, names: ChannelNames) -> Json:
    """Return our own figures, with the labels whose values are ours."""
    return [
        {"name": sample.name, "labels": dict(_labels(sample.labels, names)), "value": str(sample.value)}
        for family in text_string_to_metric_families(text)
        if family.name.startswith(_OURS)
        for sample in family.samples
    ]


def _labels(labels: dict[str, str], names: ChannelNames) -> Iterator[tuple[str, str]]:
    for label, value in labels.items():
        if label in _CHANNEL_LABELS:
            yield label, _part(value, names)
        elif label in _LABELS and _LABEL_VALUE.fullmatch(value):
            yield label, value
