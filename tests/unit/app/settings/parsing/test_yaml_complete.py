"""Missing keys come in with their comments; every line that was there stays as it was."""

import pytest
import yaml

from parley.app.settings.parsing.yaml_complete import cut_key, insert_keys, missing_keys, replace_key

WHOLE = """\
# All keys.

one: 1      # first
# about two
two:
  a: 1      # letter
            # and more about it
  b: {}     # second letter
  deep:
    x: 0    # far in

three: 3
"""


def completed(text):
    return insert_keys(text, missing_keys(text, WHOLE))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WHOLE, WHOLE),
        ("one: 9 # mine\nthree: 4\n", None),
        ("# head\n\nthree: 3\n# the end\n", None),
        ("two:\n    b: {c: 1}\n    # mine\n    own: 5\none: 2\n", None),
        ("two: # later\nthree: 3\n", None),
        ("three: 'x'", None),
        ("two: &same {a: 2}\nthree: *same\n", None),
        ("three: |\n  many\n  lines\none: 1\n", None),
        ("one: 1\r\nthree: 3\r\n", None),
    ],
)
def test_all_keys_are_there_once_and_every_line_stays(text, expected):
    result = completed(text)
    if expected is not None:
        assert result == expected
    lines = iter(result.splitlines())
    assert all(line in lines for line in text.splitlines())
    given, found = yaml.safe_load(text), yaml.safe_load(result)
    assert set(found) == {"one", "two", "three"}
    assert {key: found[key] for key in given if key != "two"} == {
        k: v for k, v in given.items() if k != "two"
    }
    assert completed(result) == result
    assert ("\r\n" in result) == ("\r\n" in text)


def test_keys_stand_where_the_whole_has_them_with_their_comments():
    assert completed("# mine\n\none: 5   # five\ntwo:\n    deep: {}\n") == (
        "# mine\n\none: 5   # five\ntwo:\n    a: 1      # letter\n              # and more about it\n"
        "    b: {}     # second letter\n    deep: {}\n\nthree: 3\n"
    )
    assert "# about two\ntwo:\n  a: 1" in completed("one: 1\n")
    assert completed("two:\n").startswith("one: 1      # first\ntwo:\n  a: 1      # letter\n")


def test_sections_in_braces_and_texts_that_are_none_are_left_alone():
    assert [key.path for key in missing_keys("one: 1\nthree: 3\ntwo: {a: 2}\n", WHOLE)] == []
    assert missing_keys("", WHOLE) == missing_keys("[1, 2]", WHOLE) == ()


def test_a_key_is_taken_from_one_place_to_another_with_its_comments():
    text = "two:\n  # mine\n  a: 7 # seven\n  b: {}\nthree: 3\n"
    rest, lines = cut_key(text, ("two", "a"))
    assert (rest, lines) == ("two:\n  b: {}\nthree: 3\n", ("# mine", "a: 7 # seven"))
    assert replace_key(rest, ("three",), ("# here", "three: 7")) == "two:\n  b: {}\n# here\nthree: 7\n"
    assert cut_key(text, ("two", "c", "d")) == (text, ())
    assert replace_key(text, ("four",), ("four: 4",)) == text
