"""Detection of sentences that order the assistant about: they are kept as quotations, never as facts.

A sentence is read as it is written and as a reader takes it: without hidden characters, and with letters that
look like Latin ones as these (`parley/core/inbound/look_alikes.py`).
"""

from __future__ import annotations

import re

from parley.core.inbound.look_alikes import fold_look_alikes
from parley.core.model.sanitize import sanitize_text
from parley.memory.text.lazy_pattern import lazy_pattern
from parley.memory.text.search_terms import UNSPACED
from parley.memory.text.sentences import split_sentences

_IGNORE = (
    r"(?:ignor(?!es\b|ed\b)\w{1,6}|disregard|forget|override|bypass|missachte|vergiss|oublie[rz]?|olvida"
    r"|esque[cç]a|dimentica|vergessen sie|olvide|non seguire|negeer|zignoruj|не слушай|yok say|abaikan|bỏ qua"
    r"|αγνόησε|تجاهل|अनदेखा|התעלם)"
)
_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines|restrictions|anweisung(?:en)?|regeln|vorgaben|consignes|règles"
    r"|instrucciones|reglas|instruções|regras|istruzioni|regole|instructies|regels|instrukcj[eę]|pokyny|указания"
    r"|правила|инструкции|talimatları|kuralları|instruksi|aturan|hướng dẫn|quy tắc|οδηγίες|κανόνες"
    r"|التعليمات|القواعد|निर्देशों|ההוראות|הכללים)"
)
# Wherever it stands in a sentence.
_INJECTED = (
    rf"\b{_IGNORE}(?!\w).{{0,40}}\b{_RULES}(?!\w)|\b{_RULES}(?!\w).{{0,20}}\b(?:yok say|अनदेखा)",
    r"\bignore (?:the |all |everything |anything )?(?:above|previous|before|earlier|said)\b",
    r"\b(?:and|so|but|that|then),? you (?:must|should|shall|have to|need to|are to)\b",
    r"\bdo (?:whatever|everything) \w+ says\b|^\W*(?:as|in the name of) the (?:system|administrator)\b",
    r"(?:无论|無論|不管|不论|不論).{1,20}(?:都|一律)(?:要|必须|必須|得|只|回答|推荐|推薦)",
    r"\bsystem prompt\b|\byou are now\b|\bdeveloper mode\b|\bnew instructions?\b",
    r"</?(?:system|assistant|user|instructions?|memory)\b|\[/?INST\]|<\|\w|^\W*(?:system|assistant)\s*:",
    r"\b(?:assistant|chatbot) (?:must|should|shall|has to|needs to|is to|may never|will always)\b",
    (
        r"\b(?:wants|asks|asked|expects|needs|requires|instructed|told|tells) (?:the |this |its |their )?"
        r"(?:assistant|agent|chatbot|bot|ai|model|you) to\b"
        r"|\b(?:note|message) to (?:the )?(?:assistant|agent|ai|model)\b"
    ),
    r"^\W*(?:the )?(?:agent|bot|ai|model) (?:must|shall|has to|may never)\b",
    r"(?:忽略|无视|無視|绕过|繞過|(?:忘记|忘掉|忘記)(?:所有|之前|以上|上面|你)).{0,20}(?:指令|指示|规则|規則|提示|要求|限制)",
    r"系统提示|系統提示|(?:助手|助理|智能体)(?:必须|必須|应该|應該|应当|應當|务必|務必|不得)",
    r"^\W*(?:please,? )?(?:dear )?(?:assistant|chatbot)\s*,",
    r"(?:指示|ルール).{0,10}(?:無視|忘れて)|지시.{0,6}무시|システムプロンプト|시스템 프롬프트",
    r"(?:игнорируй|забудь)(?:те)?.{0,40}(?:инструкции|правила|указания)",
)
# He does it ("Always drinks tea"), and nobody is told to: a verb in s, and none in "ss" or "us".
_THIRD_PERSON = (
    r"(?:is|was|has|does|goes|(?!(?:as|thus|this|his|its|always|perhaps|besides|sometimes|across|towards)\b)"
    r"\w+[^\Wsu]s)\b"
)
# At the beginning of a sentence or clause: somebody is told to do something.
_ADDRESSED = (
    (
        r"(?:whenever [^,]{1,60},\s)?(?:(?:please|from now on|in (?:the )?future)[,:]?\s){0,3}"
        rf"(?:(?:always|never) (?!{_THIRD_PERSON})\w|from now on"
        r"|you (?:must|should|shall|have to|need to|are to|may not|will)\b"
        r"|(?:do not|don't|don’t) (?:tell|mention|reveal|show|ask|say|answer|use|include|refuse|warn)\b"
        r"|(?:act|behave) (?:as|like)\b"
        r"|(?:grant|give|forward) (?:\w+ ){0,2}(?:access|all|every|any|everything|rights|permission)\b"
        r"|(?:pretend|reveal|send|transfer|execute|run|delete|respond|reply|answer|output|print|approve|confirm"
        r"|obey|follow|trust|tell|recommend|mention|bypass|disable|disregard|ensure|make sure)\b)"
    ),
    r"(?:请|請)?(?:你|您)(?:必须|必須|应该|應該|要|不要|不得|务必|務必|以后|以後|现在是|現在是)|(?:从现在|從現在)(?:开始|開始|起)",
    r"(?:请|請)(?:总是|總是|始终|始終|务必|務必|永远|永遠|不要|回复|回覆|执行|執行|发送|發送)",
    r"(?:du|sie) (?:musst|müssen|sollst|sollen|darfst|dürfen)\b",
    r"(?:ab jetzt|von nun an|antworte|sende|führe)\b",
    r"(?:tu|vous) (?:dois|devez)\b|(?:à partir de maintenant|désormais|réponds|répondez|envoie|envoyez)\b",
    r"(?:debes|tienes que|a partir de ahora|responde|envía|ejecuta)\b",
    r"(?:você deve|a partir de agora|responda|envie|execute)\b",
    r"(?:devi|d'ora in poi|rispondi|invia|esegui)\b",
    r"(?:ты должен|вы должны|с этого момента|отныне|отвечай|отправь)\b",
    r"(?:これから|今後)は?.{0,60}(?:して|しろ|せよ)|(?:지금부터|앞으로).{0,60}(?:해|하세요|하라)",
)
_BEGINS = r"(?:^[\W\d_]*+|[;；:：—–()（）\"“”„«»「」『』•\n][\W\d_]{0,8}|\s[-*>][\s]{1,4})"
_SOURCE = "|".join((*_INJECTED, rf"{_BEGINS}(?:{'|'.join(_ADDRESSED)})"))
_LETTERS = re.compile(r"(\\.)|([^\W\d_]+)")
_BETWEEN_UNSPACED = lazy_pattern(rf"(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")
_HAN = re.compile("[\u4e00-\u9fff]")
_MOST_READ = 4_000
_QUOTED = ("User said: “", "用户说：“")
_QUOTATION = lazy_pattern(rf"(?:{'|'.join(_QUOTED)})[^“”]*”?\s*")


def _as_read(text: str) -> str:
    """Return a text as a reader may take it, to be compared with patterns that are folded in the same way."""
    folded = fold_look_alikes(_BETWEEN_UNSPACED.sub("", text))
    return folded.replace("_", " ").replace("i", "l")


def _folded_pattern(source: str) -> str:
    """Return the source of a pattern with its letters folded; escapes stay."""
    return _LETTERS.sub(lambda found: found[1] or _as_read(found[2]), source)


_ORDER = lazy_pattern(_SOURCE, re.IGNORECASE)
_FOLDED_ORDER = lazy_pattern(lambda: _folded_pattern(_SOURCE), re.IGNORECASE)


def orders_assistant(text: str) -> bool:
    """Return whether a sentence of a text tells the assistant what to do, not something of the person."""
    seen = sanitize_text(text, _MOST_READ)
    if _QUOTATION.fullmatch(seen):
        return False
    return any(map(_is_order, map(str.strip, split_sentences(seen))))


def _is_order(sentence: str) -> bool:
    return bool(_ORDER.search(sentence) or _FOLDED_ORDER.search(_as_read(sentence)))


def quote(sentence: str) -> str:
    """Return the sentence as what the person said."""
    said = sentence.strip().replace("“", "'").replace("”", "'")
    return f"{_QUOTED[1 if _HAN.search(said) else 0]}{said}”"
