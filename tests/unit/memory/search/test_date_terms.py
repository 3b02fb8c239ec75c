"""Days as terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.search.date_terms import day_terms, written_days


@pytest.mark.parametrize(
    "text",
    ["on 4 May", "May 4th", "the 4th of May", "on May 4", "5月4日", "5月4号", "5 月 4 日"],
)
def test_a_day_is_the_same_however_it_is_written(text):
    assert written_days(text) == ["#-05", "#-05-04"]


@pytest.mark.parametrize("text", ["2024-05-04", "4 May 2024", "May 4, 2024", "2024年5月4日"])
def test_a_written_day_meets_what_was_learned_on_it(text):
    assert written_days(text) == day_terms("2024-05-04T09:30:00Z") == ["#2024", "#-05", "#2024-05", "#-05-04"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("back in 2019", ["#2019"]),
        ("2019年", ["#2019"]),
        ("March 2021", ["#2021", "#-03", "#2021-03"]),
        ("in March", ["#-03"]),
        ("3月", ["#-03"]),
    ],
)
def test_months_and_years_stand_alone_too(text, expected):
    assert written_days(text) == expected


@pytest.mark.parametrize(
    "text", ["it may rain", "march on", "room 12", "4711 people", "99月", "at 10:30", ""]
)
def test_what_is_no_date_gives_nothing(text):
    assert written_days(text) == []


@pytest.mark.parametrize("at", ["", "yesterday", "never", "12"])
def test_a_time_that_is_none_gives_nothing(at):
    assert day_terms(at) == []


@given(st.text(alphabet="0123456789-/月日年 May", max_size=40))
def test_any_text_works(text):
    assert all(term.startswith("#") for term in [*written_days(text), *day_terms(text)])
