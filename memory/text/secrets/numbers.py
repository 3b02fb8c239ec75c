"""Card numbers and IBANs, by their check digits."""

from __future__ import annotations

import re

from parley.memory.text.secrets.form import CARD, IBAN, SecretForm

# One sign between digits: a space of any kind, a point or a dash.
_BETWEEN = r"[ .\-\u00a0\u2007\u2009\u202f\u3000]?"
_CARD = re.compile(rf"(?<![A-Za-z0-9.+-])[0-9](?:{_BETWEEN}[0-9]){{12,18}}(?![A-Za-z0-9])")
# In digits of other scripts, such as Arabic ones.
_OTHER_CARD = re.compile(rf"(?<![A-Za-z\d.+-])\d(?:{_BETWEEN}\d){{12,18}}(?![A-Za-z\d])")
# Issuers by their first digits, with the lengths of their numbers.
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[068]\d{12}|35\d{14,17}|6\d{15,18}"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2}[0-9]{2})((?:[ \u00a0-]?[A-Za-z0-9]){11,30})")
_IBAN_LENGTHS = {
    code: length
    for length, codes in {
        15: "NO", 16: "BE BI", 18: "DK FI FO GL NL SD FK", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BJ FR GR IT MC MR SM DJ",
        28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC",
        32: "LC", 33: "RU",
    }.items()
    for code in codes.split()
}  # fmt: skip


def _card(found: re.Match[str]) -> str:
    digits = "".join(str(int(char)) for char in found[0] if char.isdigit())
    return CARD if _ISSUERS.fullmatch(digits) and _luhn(digits) else found[0]


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return len(set(digits)) > 1 and sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


def _iban(found: re.Match[str]) -> str:
    length = _IBAN_LENGTHS.get(found[1][:2].upper(), 0)
    taken, end = "", 0
    while end < len(found[0]) and len(taken) < length:
        taken += found[0][end].upper() if found[0][end].isalnum() else ""
        end += 1
    rest = found[0][end:]
    if len(taken) != length or rest[:1].isalnum():
        return found[0]
    number = "".join(str(int(char, 36)) for char in taken[4:] + taken[:4])
    return IBAN + rest if int(number) % 97 == 1 else found[0]


NUMBERS = (SecretForm(_IBAN, _iban, ahead=2), SecretForm(_CARD, _card), SecretForm(_OTHER_CARD, _card))
