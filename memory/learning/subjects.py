"""Whom a statement is about, where that is somebody else than the person whose memory it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from parley.memory.text.lazy_pattern import lazy_pattern

_KIN = (
    "wife|husband|partner|girlfriend|boyfriend|fiancée?|mother|father|mum|mom|dad|parents|sister|brother|son|"
    "daughter|child|children|kids?|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandma|grandpa|"
    "friend|best friend|boss|manager|colleague|coworker|co-worker|neighbou?r|roommate|teacher|doctor"
)
# Alone at the beginning these mean one's own, and with "my" before them the others do, too.
_FAMILY_HAN = (
    "妈妈|媽媽|爸爸|母亲|母親|父亲|父親|父母|儿子|兒子|女儿|女兒|老婆(?![饼餅])|老公|妻子|丈夫|哥哥|姐姐|弟弟|妹妹|"
    "奶奶|爷爷|爺爺|外婆|外公|姥姥|姥爷|岳父|岳母|公公|婆婆|孙子|孫子|孙女|孫女|女婿|儿媳妇?|兒媳婦?|舅舅|舅妈|姑姑|"
    "姑妈|姨妈|姨媽|阿姨|叔叔|伯伯|[表堂][哥姐弟妹]|侄子|侄女|外甥女?|未婚[妻夫]|前[妻夫]|爱人|愛人|男朋友|女朋友|"
    "男友|女友|闺蜜|閨蜜|老[妈媽爸]|家人"
)
_KIN_HAN = (
    f"{_FAMILY_HAN}|太太|先生|对象|對象|孩子|朋友|老板|老闆|经理|經理|同事|邻居|鄰居|室友|老师|老師|医生|醫生|同学|"
    "同學|同桌|导师|導師|领导|領導|上司|下属|下屬|客户|客戶|房东|房東|"
    "[妈媽爸哥姐弟妹](?![妈媽爸哥姐弟妹])"
)
_ENGLISH = lazy_pattern(
    rf"^(?:(?:the )?user(?:'s|’s)|my|our|their|his|her) "
    rf"((?:\w+ )?(?:ex-|step-?|great-)?(?:{_KIN})(?:-in-law)?)\b"
    r"(?:,? ((?-i:[A-Z])[\w’'-]{1,40}))?(?!['’]s)",
    re.IGNORECASE,
)
_CHINESE = lazy_pattern(
    rf"^(?:(?:用户|用戶|我|他|她|咱)[们們]?家?的?(?:一?[个個])?[大小二三]?({_KIN_HAN})|({_FAMILY_HAN}))(?![的们們])"
)
_JAPANESE = lazy_pattern(
    r"^(?:(?:私|僕|俺|うち|ユーザー)の)?"
    r"(妻|夫|母|父|両親|息子|娘|兄|姉|弟|妹|祖母|祖父|彼女|彼氏|友人|友達|上司|同僚|お?母さん|お?父さん)[はがも]"
)
_KOREAN = lazy_pattern(
    r"^(?:내|제|우리|저희|사용자의) "
    r"(어머니|아버지|엄마|아빠|아내|남편|아들|딸|형|오빠|누나|언니|동생|부모님|할머니|할아버지|여자친구|남자친구|친구|상사|동료)"
    r"(?:는|은|이|가|도|께서)"
)
_RUSSIAN = lazy_pattern(
    r"^(?:у )?(?:мой|моя|мои|моего|моей|моих|его|её|ее) "
    r"(мам[аы]|пап[аы]|мать|матери|отец|отца|жен[аы]|мужа?|сына?|дочь|дочери|брата?|сестр[аы]|бабушк[аи]"
    r"|дедушк[аи]|друга?|подруг[аи]|начальника?|коллег[аи]|родители|дети)\b(?: ((?-i:[А-ЯЁ])[\w-]{1,40}))?",
    re.IGNORECASE,
)
# What rules write before a person's own words.
_ASKED = re.compile(r"User asked to remember: |用户要求记住：")
_GERMAN = lazy_pattern(
    r"^(?:(?:der|die) )?(?:mein|meine|sein|seine|ihr|ihre) "
    r"(frau|mann|partnerin|partner|freundin|freund|mutter|vater|schwester|bruder|sohn|tochter|chefin|chef|kollegin|kollege)\b"
    r"(?: ((?-i:[A-ZÄÖÜ])[\w-]{1,40}))?",
    re.IGNORECASE,
)
_ROMANCE = lazy_pattern(
    r"^(?:mon|ma|mi|minha|meu|mia|mio|la mia|il mio|a minha|o meu|son|sa|su) "
    r"(femme|mari|mère|père|sœur|soeur|frère|fils|fille|ami|amie|esposa|esposo|marido|madre|padre|hermana|hermano|"
    r"hija|hijo|amiga|amigo|mãe|pai|irmã|irmão|filha|filho|moglie|marito|sorella|fratello|figlia|figlio|amica|amico)\b"
    r"(?: ((?-i:[A-ZÀ-Þ])[\w-]{1,40}))?",
    re.IGNORECASE,
)
# "Kim moved to Oslo": a name before a verb that facts begin with.
_NAMED = lazy_pattern(
    r"^([A-Z][\w’-]{1,40}) (?:is|was|has|had|lives?|lived|works?|worked|likes?|loves?|prefers?|hates?|moved|"
    r"plays?|studies|studied|wants?|needs?|owns?|married|got|will|started|turned|speaks?)\b"
)
_NOBODY_WORDS = """
    user the they he she it this that there everyone somebody i nutzer
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())


def find_subject(content: str, speakers: Iterable[str] = ()) -> str:
    """Return whom a statement is about; empty where that is the person, or nothing tells."""
    said = _ASKED.sub("", content, count=1) if _ASKED.match(content) else content
    for pattern in (_ENGLISH, _GERMAN, _ROMANCE, _RUSSIAN, _CHINESE, _JAPANESE, _KOREAN):
        if found := pattern.match(said):
            return str(next(filter(None, reversed(found.groups()))))
    own = {name.casefold() for speaker in speakers for name in (speaker, *speaker.split())}
    named = leading_name(said)
    return "" if named.casefold() in own else named


def leading_name(content: str) -> str:
    """Return the name that a statement begins with; empty where there is none."""
    named = _NAMED.match(content)
    return "" if named is None or named[1].casefold() in _NOBODY else named[1]
