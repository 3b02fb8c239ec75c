"""The retention section of config.yaml: how long what is over is kept, and what an erasure does."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, model_validator

from parley.channels.kit.config import Section
from parley.store.retention import DAY, Retention

_OLD, _NEW = "questions", "retention"
_AUDIT = "audit_days"


class RetentionSection(Section):
    """Days, 0 for ever where that may be. docs/retention.md tells what each kind is."""

    done_days: float = Field(default=7.0, gt=0)
    names_days: float = Field(default=7.0, ge=1)
    dead_letters_days: float = Field(default=0.0, ge=0)
    files_days: float = Field(default=7.0, gt=0)
    questions_days: float = Field(default=90.0, ge=0)
    conversations_days: float = Field(default=0.0, ge=0)
    audit_days: float = Field(default=365.0, gt=0)
    audit_on_erase: Literal["keep", "anonymise", "remove"] = "anonymise"

    @model_validator(mode="after")
    def _attributable(self) -> RetentionSection:
        if self.files_days > self.done_days:
            raise ValueError(
                "files_days must not be more than done_days: the messages tell whose the files are"
            )
        return self

    def of_store(self) -> Retention:
        """Return what the store removes by itself, in seconds."""
        dead = self.dead_letters_days * DAY or math.inf
        return Retention(self.done_days * DAY, self.names_days * DAY, dead)


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def with_old_audit_days(tree: object) -> object:
    """Move `questions.audit_days`, where `retention.audit_days` was at first: it goes on working.

    Raises ValueError where both are written and differ.
    """
    if not isinstance(tree, dict):
        return tree
    questions, retention = tree.get(_OLD), tree.get(_NEW) or {}
    if not isinstance(questions, dict) or not isinstance(retention, dict) or _AUDIT not in questions:
        return tree
    old = questions[_AUDIT]
    if not _is_number(old):
        raise ValueError(f'questions.audit_days: must be a number of days, not "{old}"')
    if retention.get(_AUDIT, old) != old:
        raise ValueError("questions.audit_days and retention.audit_days differ; write the second one only")
    rest = {key: value for key, value in questions.items() if key != _AUDIT}
    return {**tree, _OLD: rest, _NEW: {**retention, _AUDIT: old}}
