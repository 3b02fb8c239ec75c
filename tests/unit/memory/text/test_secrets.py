"""Secrets are masked wherever they stand, and what only looks like one stays."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some
from mnemonic import Mnemonic

from parley.memory.text.secrets.form import SearchedText
from parley.memory.text.secrets.masking import all_forms, count_marks, mask_secrets
from tests.unit.memory.text.secret_texts import HARMLESS, SECRETS


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_masked_once_and_for_all(text):
    masked = mask_secrets(text)
    assert masked.count == count_marks(masked.text) == 1
    assert mask_secrets(masked.text) == (type(masked))(masked.text, 0)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text):
    assert mask_secrets(text).text == text


def test_what_stands_around_a_secret_stays():
    said = "Pay 5 EUR to DE89 3704 0044 0532 0130 00 before May, my password is hunter2, ok?"
    assert mask_secrets(said).text == "Pay 5 EUR to [IBAN] before May, my password is [password], ok?"


@pytest.mark.parametrize(
    "piece",
    [
        "4 ",
        "zoo ",
        "curl -u ",
        "mysql -p",
        "ssn 1 ",
        "?token=",
        "password is ",
        "DE89",
        "eyJ",
        "sk-",
        "password a",
        "a://",
        "密码",
        "api key ",
        "-----BEGIN ",
    ],
)
def test_a_hostile_text_is_read_to_its_end(piece):
    assert mask_secrets(piece * 4_000).text


_ODD = (
    "pass",
    "P\u0130N: 1a",
    "pa\u017f\u017fwort=x1",
    " is ",
    "DE",
    "\u0663",
    "12",
    "eyJ",
    "sk-",
    "://a:b@",
    " ",
)


@given(some.lists(some.sampled_from([*SECRETS, *HARMLESS, *_ODD]), max_size=8).map("".join))
def test_looking_only_where_a_secret_may_begin_misses_none(text):
    for form in all_forms():
        searched = SearchedText(text)
        found = [each.span() for each in form.find(searched)]
        assert found == [each.span() for each in form.pattern.finditer(searched.text)]


@given(
    some.sampled_from(sorted(Mnemonic.list_languages())),
    some.sampled_from([16, 20, 24, 28, 32]).flatmap(lambda size: some.binary(min_size=size, max_size=size)),
)
def test_a_phrase_that_a_wallet_makes_is_masked_whole(language, entropy):
    phrase = Mnemonic(language).to_mnemonic(entropy)
    for given_as in (phrase, unicodedata.normalize("NFC", phrase)):
        assert mask_secrets(f"2026: {given_as}.").text == "2026: [seed phrase]."
