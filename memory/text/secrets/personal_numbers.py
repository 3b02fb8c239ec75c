"""Numbers that states give to a person: by their form and check digits, or said as such."""

from __future__ import annotations

import re
from collections.abc import Callable

from stdnum.br import cpf
from stdnum.cn import ric
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.us import ssn

from parley.memory.text.secrets.form import HAN_IS, PERSONAL_NUMBER, WORD_BEGINS, SecretForm, mask_group
from parley.memory.text.secrets.words import NUMBER_BEGINS, NUMBER_NAMES

_ALONE, _END = r"(?<![\w.+-])", r"(?![\w-])"
# These have a form of their own, so that check digits suffice.
_US = re.compile(rf"{_ALONE}\d{{3}}-\d{{2}}-\d{{4}}{_END}")
_CHINA = re.compile(r"(?<![A-Za-z\d_.+-])\d{17}[\dXx](?![A-Za-z\d_-])")
_BRAZIL = re.compile(rf"{_ALONE}\d{{3}}\.\d{{3}}\.\d{{3}}-\d{{2}}{_END}")
_FRANCE = re.compile(rf"{_ALONE}[12] ?\d{{2}} ?\d{{2}} ?\d[\dABab] ?\d{{3}} ?\d{{3}} ?\d{{2}}{_END}")
_KOREA = re.compile(r"(?<![A-Za-z\d_.+-])\d{6}-\d{7}(?![A-Za-z\d_-])")
_ITALY = re.compile(rf"{_ALONE}[A-Za-z]{{6}}\d{{2}}[A-Za-z]\d{{2}}[A-Za-z]\d{{3}}[A-Za-z]{_END}")
_MEXICO = re.compile(rf"{_ALONE}[A-Za-z]{{4}}\d{{6}}[HMhm][A-Za-z]{{5}}[A-Za-z\d]\d{_END}")
# Said as such, any number is one. A group of it has a digit, but for a letter at its end.
_SAID = re.compile(
    rf"{WORD_BEGINS}(?:{NUMBER_NAMES})(?:\s(?:number|no\.?|nr\.?|#))?"
    rf"(?:\s{{1,3}}(?:is|was|ist|lautet|est|es|é|è|это)\s|\s{{0,3}}(?:[:=：#]|{HAN_IS})|\s)\s{{0,3}}"
    r"(?P<value>(?:[A-Z]{1,6}[ -]?)?\d[A-Z\d]{0,18}(?:[ ./-]\d[A-Z\d]{0,12}){0,7}(?:[ -][A-DX](?!\w))?)"
    r"(?![A-Za-z\d])",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?:19|20)\d{2}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d{2}")
_LEAST_DIGITS = 6


def _checked(is_valid: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
    return lambda found: PERSONAL_NUMBER if is_valid(found[0]) else found[0]


def _said(found: re.Match[str]) -> str:
    value = found["value"]
    if _DATE.fullmatch(value) or sum(map(str.isdigit, value)) < _LEAST_DIGITS:
        return found[0]
    return mask_group(found, PERSONAL_NUMBER, "value")


PERSONAL_NUMBERS = (
    SecretForm(_US, _checked(ssn.is_valid)),
    SecretForm(_CHINA, _checked(ric.is_valid)),
    SecretForm(_BRAZIL, _checked(cpf.is_valid)),
    SecretForm(_FRANCE, _checked(nir.is_valid)),
    SecretForm(_KOREA, _checked(rrn.is_valid)),
    SecretForm(_ITALY, _checked(codicefiscale.is_valid), ahead=6),
    SecretForm(_MEXICO, _checked(curp.is_valid), ahead=4),
    SecretForm(_SAID, _said, NUMBER_BEGINS),
)
