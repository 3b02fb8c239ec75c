"""Keys and tokens: by the form that a service gives them, or said as such."""

from __future__ import annotations

import re
from itertools import pairwise

from parley.memory.text.search_terms import UNSPACED
from parley.memory.text.secrets.form import HAN_IS, KEY, WORD_BEGINS, SecretForm, mask_group
from parley.memory.text.secrets.words import KEY_BEGINS, KEY_NAMES, TOKEN_BEGINS, TOKEN_NAMES

# Not within a word or a name of a program; an underscore that begins a word is markup.
_START = r"(?<![A-Za-z0-9-])(?<![^\W]_)"
_TOKEN = re.compile(
    rf"""{_START}(?:
      (?:sk|pk|rk)[-_][A-Za-z0-9_-]{{16,}} | gh[pousr]_[A-Za-z0-9]{{30,}} | github_pat_[A-Za-z0-9_]{{20,}}
    | gl(?:pat|rt|dt)-[A-Za-z0-9_-]{{20,}} | xox[abeoprs]-[A-Za-z0-9-]{{10,}} | xapp-[A-Za-z0-9-]{{10,}}
    | (?:AKIA|ASIA)[A-Z0-9]{{16}}(?![A-Za-z0-9]) | AIza[A-Za-z0-9_-]{{35}} | ya29\.[A-Za-z0-9_-]{{20,}}
    | GOCSPX-[A-Za-z0-9_-]{{20,}} | hf_[A-Za-z0-9]{{30,}} | npm_[A-Za-z0-9]{{36}} | pypi-[A-Za-z0-9_-]{{50,}}
    | dop_v1_[a-f0-9]{{64}} | shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{{32}}
    | https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{{20,}}
    | SG\.[A-Za-z0-9_-]{{16,}}\.[A-Za-z0-9_-]{{16,}}
    | xprv[A-Za-z0-9]{{100,}} | AGE-SECRET-KEY-1[A-Z0-9]{{50,}}
    | lsv2_[a-z]{{2}}_[A-Za-z0-9_]{{30,}}
    | eyJ[A-Za-z0-9_-]{{10,}}\.eyJ[A-Za-z0-9_-]{{10,}}\.[A-Za-z0-9_-]{{10,}}
    )
    | -----BEGIN[ ](?:[A-Z]{{1,20}}[ ]){{0,3}}PRIVATE[ ]KEY-----[^-]*+(?:-----END[A-Z ]{{0,60}}-----)?""",
    re.VERBOSE,
)
# A vendor's name, then one long run of letters and digits, as tokens of most services have it: the part that
# is masked begins at the sign between them. Names in code have words between short signs instead.
_NAMED_TOKEN = re.compile(r"(?<=[A-Za-z0-9])[_.-]([A-Za-z0-9]{24,400}+)(?![A-Za-z0-9])")
_LEAST_DIGITS, _LEAST_LETTERS = 2, 6
_BOT_TOKEN = re.compile(rf"{_START}[0-9]{{8,10}}[:：][A-Za-z0-9_-]{{35}}(?![A-Za-z0-9_-])")
_KEY_SAID = re.compile(
    rf"(?<![^\W_{UNSPACED}])(?:{KEY_NAMES})[\"'`]?"
    rf"(?:\s{{1,3}}(?:is|ist|lautet|est|es|é|è)\s|\s{{0,3}}(?:[:=：]|{HAN_IS})|\s)\s{{0,3}}"
    rf"[\"'`]?([A-Za-z0-9_\-./+=]{{12,400}})(?![A-Za-z0-9_[])",
    re.IGNORECASE,
)
# A token that is said, of any service: letters and digits in no order.
_TOKEN_SAID = re.compile(
    rf"{WORD_BEGINS}(?:{TOKEN_NAMES})[\"'`]?"
    rf"(?:\s{{1,3}}(?:is|was|ist|lautet|est|es|é|è|это)\s|\s{{0,3}}(?:[:=：]|{HAN_IS})|\s)\s{{0,3}}"
    rf"[\"'`]?([A-Za-z0-9_\-./+=]{{8,400}})(?![A-Za-z0-9_[])",
    re.IGNORECASE,
)
_QUERY = re.compile(
    r"[?&;](?:[a-z]{1,20}[_-])?(?:token|api_?key|secret|password|passwd|sig|signature)=([^\s&#\"'<>]{6,400})",
    re.IGNORECASE,
)
_LEAST_CHANGES = 3
_LONGEST_WORD = 22


def _named_token(found: re.Match[str]) -> str:
    digits = sum(map(str.isdigit, found[1]))
    mixed = digits >= _LEAST_DIGITS and len(found[1]) - digits >= _LEAST_LETTERS
    return f"{found[0][0]}{KEY}" if mixed else found[0]


def _key_said(found: re.Match[str]) -> str:
    """Mask a key, but no word: "bearer certificates", "private key infrastructure"."""
    word = found[1].isalpha() and found[1][1:].islower() and len(found[1]) <= _LONGEST_WORD
    return found[0] if word else mask_group(found, KEY, 1)


def _token_said(found: re.Match[str]) -> str:
    kinds = [char.isdigit() for char in found[1] if char.isalnum()]
    changes = sum(one != other for one, other in pairwise(kinds))
    mixed = changes >= _LEAST_CHANGES and sum(kinds) < len(kinds)
    return mask_group(found, KEY, 1) if mixed else found[0]


_PREFIXES = """
    sk- sk_ pk- pk_ rk- rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glrt- gldt- xox xapp- AKIA ASIA AIza
    ya29. GOCSPX- hf_ npm_ pypi- dop_v1_ shp SG. https://hooks.slack lsv2_ eyJ -----BEGIN
    xprv AGE-SECRET-KEY-1
"""
KEYS = (
    SecretForm(_TOKEN, lambda _: KEY, tuple(_PREFIXES.split())),
    SecretForm(_NAMED_TOKEN, _named_token, ("_", "-", ".")),
    SecretForm(_BOT_TOKEN, lambda _: KEY),
)
SAID_KEYS = (
    SecretForm(_KEY_SAID, _key_said, tuple(KEY_BEGINS.split())),
    SecretForm(_TOKEN_SAID, _token_said, tuple(TOKEN_BEGINS.split())),
    SecretForm(_QUERY, lambda found: mask_group(found, KEY, 1), ("?", "&", ";")),
)
