"""JSON of strangers as models: within bounds of size, depth and number, whatever is wrong with it."""

from __future__ import annotations

import math
import re
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetPydanticSchema, ValidationError
from pydantic_core import from_json
from pydantic_core.core_schema import list_schema, str_schema

from parley.server.http_errors import Problem, invalid

Strings: TypeAlias = Annotated[
    list[str], GetPydanticSchema(lambda *_: list_schema(str_schema(), max_length=1000, fail_fast=True))
]
"""A list of names or ids. The first mistake ends it: a million of them would take gigabytes to tell."""
Offset: TypeAlias = Annotated[int, Field(ge=0, le=10**12)]
"""How many are left out at the beginning of a page."""


class ApiModel(BaseModel):
    """What is asked for or answered in JSON. Its validator is made for the first one: few of them come."""

    model_config = ConfigDict(defer_build=True)


BodyModel = TypeVar("BodyModel", bound=BaseModel)

_MOST_VALUES = 2_000_000
_INT64 = 2**63
_MAYBE_TOO_LARGE = re.compile(rb"[0-9]{19}|[eE]\+?[0-9]{3}")
_MOST_FINDINGS = 5
_LONGEST_FINDING = 300


def parse_json(body: bytes) -> object:
    """Return what a body says. Raises Problem: also for numbers that no store and no client can keep."""
    if body.count(b",") + body.count(b"[") + body.count(b"{") > _MOST_VALUES:
        raise Problem(413, f"The body has more than {_MOST_VALUES} values.")
    try:
        value: object = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise invalid(f"body: Invalid JSON: {str(error)[:_LONGEST_FINDING]}") from error
    if _MAYBE_TOO_LARGE.search(body):
        _check_numbers(value)
    return value


def parse_model(model: type[BodyModel], body: bytes) -> BodyModel:
    """Return a body as a model. Raises Problem."""
    return validate_model(model, parse_json(body))


def validate_model(model: type[BodyModel], value: object) -> BodyModel:
    """Return a value of JSON as a model. Raises Problem."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid(_findings(error)) from error


def _findings(error: ValidationError) -> str:
    """Return the first of Pydantic's findings in one line, without what was sent."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = [_finding(".".join(str(part) for part in each["loc"]), each["msg"]) for each in found]
    more = len(told) - _MOST_FINDINGS
    return "; ".join(told[:_MOST_FINDINGS]) + (f"; and {more} more" if more > 0 else "")


def _finding(place: str, what: str) -> str:
    return f"{place[:_LONGEST_FINDING] or 'body'}: {what[:_LONGEST_FINDING]}"


def _check_numbers(value: object) -> None:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, int) and not -_INT64 <= each < _INT64:
            raise invalid("body: an integer is larger than 64 bits; send it as a string.")
        elif isinstance(each, float) and not math.isfinite(each):
            raise invalid("body: a number is too large; send it as a string.")
