"""Whom a statement is about, where that is somebody else than the person whose memory it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KIN = (
    "wife|husband|partner|girlfriend|boyfriend|fiancée?|mother|father|mum|mom|dad|parents|sister|brother|son|"
    "daughter|child|children|kids?|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandma|grandpa|"
    "friend|best friend|boss|manager|colleague|coworker|co-worker|neighbou?r|roommate|teacher|doctor"
)
_KIN_HAN = (
    "妻子|丈夫|老婆|老公|太太|先生|爱人|女朋友|男朋友|母亲|父亲|妈妈|爸爸|父母|姐姐|妹妹|哥哥|弟弟|儿子|女儿|孩子|"
    "阿姨|叔叔|表哥|表姐|奶奶|爷爷|外婆|外公|朋友|老板|经理|同事|邻居|室友|老师|医生"
)
_ENGLISH = re.compile(
    rf"^(?:(?:the )?user(?:'s|’s)|my|their|his|her) ((?:\w+ )?(?:{_KIN}))\b"
    r"(?:,? ((?-i:[A-Z])[\w’'-]{1,40}))?(?!['’]s)",
    re.IGNORECASE,
)
_CHINESE = re.compile(rf"^(?:用户|我|他|她)的?({_KIN_HAN})(?!的)")
_GERMAN = re.compile(
    r"^(?:(?:der|die) )?(?:mein|meine|sein|seine|ihr|ihre) "
    r"(frau|mann|partnerin|partner|freundin|freund|mutter|vater|schwester|bruder|sohn|tochter|chefin|chef|kollegin|kollege)\b"
    r"(?: ((?-i:[A-ZÄÖÜ])[\w-]{1,40}))?",
    re.IGNORECASE,
)
_ROMANCE = re.compile(
    r"^(?:mon|ma|mi|minha|meu|mia|mio|la mia|il mio|a minha|o meu|son|sa|su) "
    r"(femme|mari|mère|père|sœur|soeur|frère|fils|fille|ami|amie|esposa|esposo|marido|madre|padre|hermana|hermano|"
    r"hija|hijo|amiga|amigo|mãe|pai|irmã|irmão|filha|filho|moglie|marito|sorella|fratello|figlia|figlio|amica|amico)\b"
    r"(?: ((?-i:[A-ZÀ-Þ])[\w-]{1,40}))?",
    re.IGNORECASE,
)
# "Kim moved to Oslo": a name before a verb that facts begin with.
_NAMED = re.compile(
    r"^([A-Z][\w’-]{1,40}) (?:is|was|has|had|lives?|lived|works?|worked|likes?|loves?|prefers?|hates?|moved|"
    r"plays?|studies|studied|wants?|needs?|owns?|married|got|will|started|turned|speaks?)\b"
)
_NOBODY_WORDS = """
    user the they he she it this that there everyone somebody i nutzer
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())


def find_subject(content: str, speakers: Iterable[str] = ()) -> str:
    """Return whom a statement is about; empty where that is the person, or nothing tells."""
    for pattern in (_ENGLISH, _GERMAN, _ROMANCE):
        if found := pattern.match(content):
            return found[2] or found[1]
    if found := _CHINESE.match(content):
        return found[1]
    own = {name.casefold() for speaker in speakers for name in (speaker, *speaker.split())}
    named = leading_name(content)
    return "" if named.casefold() in own else named


def leading_name(content: str) -> str:
    """Return the name that a statement begins with; empty where there is none."""
    named = _NAMED.match(content)
    return "" if named is None or named[1].casefold() in _NOBODY else named[1]
