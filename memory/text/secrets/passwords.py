"""Passwords that are said, or given to a program or in an address."""

from __future__ import annotations

import re

from parley.memory.text.search_terms import UNSPACED
from parley.memory.text.secrets.form import HAN_IS, PASSWORD, WORD_BEGINS, SecretForm, mask_group
from parley.memory.text.secrets.words import HAN_NAMES, OF, SAID_BEGINS, SAID_NAMES, SAID_OF_ONE

_PASSWORD_SAID = re.compile(
    rf"{WORD_BEGINS}(?:{SAID_NAMES})(?![^\W{UNSPACED}])(?:(?P<of>[^\n.!?:=]{{0,40}}?)"
    r"(?:\s|['’](?=s\s))(?P<verb>s|(?:(?:is|was)\s|has\sbeen\s)?(?:now\s)?(?:changed|set|reset)\sto|is|was|used\sto\sbe|ist|war|lautet|est|es|é|è|это|jest|är|er|on|is:|هي|هو|है|είναι|คือ)\s{1,3}"
    rf"|\s{{0,3}}(?:[:=：–—-]|{HAN_IS})\s{{0,3}}|\s{{1,3}})"
    r"(?P<value>\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|`[^`\n]{1,100}`|«[^»\n]{1,100}»|“[^”\n]{1,100}”|[^\s\"'`«“]{2,100})",
    re.IGNORECASE,
)
_PASSWORD_HAN = re.compile(
    rf"(?:{'|'.join(HAN_NAMES.split())})"
    r"(?:[^\n。！？!-~]{0,16})[\"'“「『:=： ]{0,3}(?P<value>[!-~]{3,100})"
)
# `://user:password@`, also without a user.
_URL_PASSWORD = re.compile(r"://([^\s:/@]{0,100}):([^\s@/]{1,200})@")
# A name in a program or a shell ends in what it holds: DB_PASSWORD, PGPASSWORD.
_VARIABLE = re.compile(
    r"(?:(?<=[A-Za-z0-9]_)|(?<=\bpg))(?:password|passwd|passphrase|pass|pwd|secret|token|auth)[\"'`]?"
    r"\s{0,2}[:=：]\s{0,2}(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'`,;]{3,200})",
    re.IGNORECASE,
)
_LOGIN_OPTION = re.compile(
    r"(?<=\s)(?:-u|--user|--proxy-user)(?:=|\s{0,3})[\"']?[^\s:\"']{0,100}:(?P<value>[^\s\"']{2,200})"
)
_LOGIN_PROGRAM, _AHEAD = re.compile(r"\b(?:curl|https?ie|xh)\b"), 400
_UNTIL = r"\b[^\n|;]{0,200}?\s"
_PROGRAM_PASSWORD = re.compile(
    rf"(?<![\w./-])(?:(?:mysql[a-z]{{0,10}}|mariadb(?:-[a-z]{{1,10}})?){_UNTIL}-p|sshpass\s{{1,3}}-p\s{{0,3}}"
    rf"|(?:docker|podman)\s{{1,3}}login{_UNTIL}-p\s{{0,3}}|redis-cli{_UNTIL}-a\s{{1,3}}"
    rf"|openssl{_UNTIL}-(?:k|pass(?:in|out)?\s{{1,3}}pass:)\s{{0,3}})"
    r"(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'`-][^\s\"'`]{1,199})"
)
# Where a value is filled in later: $NAME, ${NAME}, <password>, {{ name }}, %(name)s, ****, None, and calls.
_FILLED_LATER = re.compile(
    r"[\"']?(?:[$<\[{%]|\*{3}|\.{3}|(?:none|null|true|false)\b|[\w.]{1,60}[(\[])", re.IGNORECASE
)

_QUOTES = "\"'`«»“”"
_CLAUSE_END = re.compile(r"\s*(?:$|[\n.!?,;)。！？，；])|\s+(?:and|und|et|y|e|и)\s")
_ODD = re.compile(r"[^\W\d_]\d|\d[^\W\d_]|[a-z][A-Z]|\d{4}|[^\w\s.,;:!?'’)(-]")


def _password(found: re.Match[str]) -> str:
    value = found["value"]
    if value.startswith("["):
        return found[0]
    if value[0] in _QUOTES:
        return mask_group(found, PASSWORD, "value")
    bare = value.rstrip(".,;:!?)。，")
    kept = value[len(bare) :]
    plain = not _ODD.search(bare)
    of = (found["of"] or "").split()
    said = (
        bool(found["verb"] not in (None, "s") and (not of or of[0].casefold() in OF))
        or ":" in found[0]
        or "=" in found[0]
    )
    if plain and (not said or bare.casefold() in SAID_OF_ONE or not _ends_clause(found, kept)):
        return found[0]
    return mask_group(found, PASSWORD + kept, "value")


def _ends_clause(found: re.Match[str], kept: str) -> bool:
    return bool(kept) or bool(_CLAUSE_END.match(found.string, found.end()))


def _password_han(found: re.Match[str]) -> str:
    value = found["value"]
    if value.startswith("[") or not any(char.isalnum() for char in value):
        return found[0]
    return mask_group(found, PASSWORD, "value")


def _given(found: re.Match[str]) -> str:
    return found[0] if _FILLED_LATER.match(found["value"]) else mask_group(found, PASSWORD, "value")


def _login(found: re.Match[str]) -> str:
    before = found.string[max(found.start() - _AHEAD, 0) : found.start()]
    # `docker run -u 1000:1000` has numbers of accounts, and no other program has passwords there.
    return found[0] if not _LOGIN_PROGRAM.search(before) or found["value"].isdecimal() else _given(found)


_PROGRAMS = ("mysql", "mariadb", "sshpass", "docker", "podman", "redis-cli", "openssl")
PASSWORDS = (
    SecretForm(_PASSWORD_SAID, _password, SAID_BEGINS),
    SecretForm(_PASSWORD_HAN, _password_han, tuple(HAN_NAMES.split())),
    SecretForm(_VARIABLE, _given, ("pass", "pwd", "secret", "token", "auth")),
    SecretForm(_LOGIN_OPTION, _login, ("-u", "--user", "--proxy-user")),
    SecretForm(_PROGRAM_PASSWORD, _given, _PROGRAMS),
)
IN_ADDRESSES = (SecretForm(_URL_PASSWORD, lambda found: f"://{found[1]}:{PASSWORD}@", ("://",)),)
