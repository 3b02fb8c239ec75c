"""Detection of sentences that order the assistant about: they are kept as quotations, never as facts."""

from __future__ import annotations

import re

# Wherever it stands in a sentence.
_INJECTED = (
    (
        r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}"
        r"\b(?:instructions?|rules?|prompts?|guidelines|restrictions)\b"
    ),
    r"\bsystem prompt\b|\byou are now\b|\bdeveloper mode\b|\bnew instructions?\b",
    r"</?(?:system|assistant|user|instructions?|memory)\b|\[/?INST\]|<\|im_|^\W*(?:system|assistant)\s*:",
    r"\b(?:assistant|chatbot) (?:must|should|shall|has to|needs to|is to|may never|will always)\b",
    r"^\W*(?:the )?(?:agent|bot|ai|model) (?:must|shall|has to|may never)\b",
    r"(?:忽略|无视|無視|绕过|(?:忘记|忘掉)(?:所有|之前|以上|上面|你)).{0,20}(?:指令|指示|规则|規則|提示|要求|限制)",
    r"系统提示|系統提示|(?:助手|助理|智能体)(?:必须|必須|应该|應該|应当|务必|不得)",
    r"指示を無視|システムプロンプト|지시(?:를|사항을)? ?무시|시스템 프롬프트",
    r"\b(?:ignoriere|missachte|vergiss)\b.{0,40}\b(?:anweisung|anweisungen|regeln|vorgaben)\b",
    r"\b(?:ignore|ignorez|oublie|oubliez)\b.{0,40}\b(?:instructions|consignes|règles)\b",
    (
        r"\b(?:ignora|ignore|olvida|esquece|esqueça|dimentica)\b.{0,40}"
        r"\b(?:instrucciones|reglas|instruções|regras|istruzioni|regole)\b"
    ),
    r"(?:игнорируй|забудь).{0,40}(?:инструкции|правила|указания)",
)
# At the beginning of a sentence: somebody is told to do something.
_ADDRESSED = (
    # "Always answer", and not "Always drinks tea".
    (
        r"(?:whenever [^,]{1,60},\s)?(?:(?:please|from now on|in (?:the )?future)[,:]?\s){0,3}"
        r"(?:(?:always|never) (?!\w+s\b)\w|from now on"
        r"|you (?:must|should|shall|have to|need to|are to|may not|will)\b"
        r"|(?:do not|don't|don’t) (?:tell|mention|reveal|show|ask|say|answer|use|include|refuse|warn)\b"
        r"|(?:act|behave) (?:as|like)\b"
        r"|(?:pretend|reveal|send|transfer|execute|run|delete|respond|reply|answer|output|print|approve|confirm"
        r"|obey|follow|trust|tell|recommend|mention)\b)"
    ),
    r"(?:请|請)?(?:你|您)(?:必须|必須|应该|應該|要|不要|不得|务必|以后|现在是)|从现在(?:开始|起)",
    r"(?:请|請)(?:总是|始终|务必|永远|不要|回复|执行|发送)",
    r"(?:du|sie) (?:musst|müssen|sollst|sollen|darfst|dürfen)\b",
    r"(?:ab jetzt|von nun an|antworte|sende|führe)\b",
    r"(?:tu|vous) (?:dois|devez)\b|(?:à partir de maintenant|désormais|réponds|répondez|envoie|envoyez)\b",
    r"(?:debes|tienes que|a partir de ahora|responde|envía|ejecuta)\b",
    r"(?:você deve|a partir de agora|responda|envie|execute)\b",
    r"(?:devi|d'ora in poi|rispondi|invia|esegui)\b",
    r"(?:ты должен|вы должны|с этого момента|отныне|отвечай|отправь)\b",
    r"(?:これから|今後)は?.{0,60}(?:して|しろ|せよ)|(?:지금부터|앞으로).{0,60}(?:해|하세요|하라)",
)
_ORDER = re.compile("|".join((*_INJECTED, rf"^\W*(?:{'|'.join(_ADDRESSED)})")), re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")
_MOST_READ = 600
_QUOTED = ("User said: “", "用户说：“")


def orders_assistant(sentence: str) -> bool:
    """Return whether a sentence tells the assistant what to do, rather than something of the person."""
    return not sentence.startswith(_QUOTED) and bool(_ORDER.search(sentence[:_MOST_READ]))


def quote(sentence: str) -> str:
    """Return the sentence as what the person said."""
    said = sentence.strip().replace("“", "'").replace("”", "'")
    return f"{_QUOTED[1 if _HAN.search(said) else 0]}{said}”"
