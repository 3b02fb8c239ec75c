"""Fields of JSON that comes from a platform."""

import pytest

from parley.channels.kit.fields import (
    compact_json,
    json_object,
    number_or,
    object_at,
    object_or_empty,
    text_or_empty,
)


@pytest.mark.parametrize("text", ["", "[1]", "null", "{", b"\xff", "[" * 100_000], ids=repr)
def test_what_is_no_object_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - of json's, or our own
        json_object(text)


def test_fields_are_of_their_kind_or_empty():
    value = json_object('{"object": {"a": 1}, "text": "Zoë\\ud800", "number": 3}')
    assert object_at(value, "object") == {"a": 1}
    with pytest.raises(ValueError, match="text is no object"):
        object_at(value, "text")
    assert object_or_empty(value, "text") == {}
    assert text_or_empty(value, "number") == ""
    assert text_or_empty(value, "text").startswith("Zoë")
    text_or_empty(value, "text").encode()
    assert compact_json({"a": ["é"]}) == '{"a":["é"]}'


@pytest.mark.parametrize(("value", "number"), [("2.5", 2.5), (3, 3.0), ("soon", 9.0), (None, 9.0), ([], 9.0)])
def test_numbers_are_read_from_headers(value, number):
    assert number_or(value, 9.0) == number
