"""Filter of statements about uploaded files: true on one day only, so never learned."""

from __future__ import annotations

import re

from parley.memory.text.lazy_pattern import lazy_pattern

# Longest file name: bounded, so that matching takes linear time.
_NAME = r"[\w()-]{1,100}\.(?!com\b|org\b|net\b|io\b|ai\b|cn\b)[a-z][a-z0-9]{1,4}\b"
_THING = (
    r"(?:files?|documents?|pdfs?|images?|pictures?|photos?|screenshots?|spreadsheets?|attachments?|"
    + _NAME
    + ")"
)
_PATH = re.compile(r"/mnt/user-data/|/uploads/\S{1,200}\.\w{2,5}\b|\bfile://", re.IGNORECASE)
_EVENT = lazy_pattern(
    rf"^\W*(?:the )?(?:user |i |they |he |she )?(?:has |have |just |recently |also )*"
    rf"(?:(?:uploaded|attached)\b.*\b{_THING}|(?:sent|shared|provided)\b.*\b{_NAME})"
    rf"|\b{_THING} (?:was|were|has been|have been) (?:just |recently )?(?:uploaded|attached)\b",
    re.IGNORECASE,
)
_EVENT_HAN = lazy_pattern(
    r"^\W*(?:用户|我|他|她)?.{0,6}上传了.{0,30}(?:文件|文档|图片|照片|截图|附件|表格|\.[a-z0-9]{2,5})"
    r"|(?:文件|文档|图片|照片|截图|附件|表格).{0,8}已(?:经)?上传",
    re.IGNORECASE,
)


def is_upload_news(statement: str) -> bool:
    """Return whether a statement only says that a file came, or names where uploads are."""
    return any(kind.search(statement) for kind in (_PATH, _EVENT, _EVENT_HAN))
