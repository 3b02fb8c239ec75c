"""PDF as text, with Markdown tables where words stand in columns."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw as pdfium

from .layout import Sign, page_text
from .result import ReadRefused, Result, text_result


def read(content: bytes, most: int) -> Result:
    """Return the text of the pages, up to the one that fills it."""
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise ReadRefused("locked" if "password" in str(error).lower() else "broken") from error
    pages: list[str] = []
    length = 0
    for number in range(len(document)):
        page = document[number]
        pages.append(page_text(list(_signs(page)), page.get_width()))
        page.close()
        length += len(pages[-1])
        if length > most:
            break
    return text_result("\n\n".join(filter(None, pages)), most)


def _signs(page: pypdfium2.PdfPage) -> Iterator[Sign]:
    """Yield the signs of a page in the order in which they are drawn."""
    text = page.get_textpage()
    box = pdfium.FS_RECTF()
    at = ctypes.byref(box)
    for place in range(pdfium.FPDFText_CountChars(text)):
        code = pdfium.FPDFText_GetUnicode(text, place)
        if pdfium.FPDFText_GetLooseCharBox(text, place, at):
            yield Sign(chr(code), box.left, box.right, -box.top, -box.bottom)
    text.close()
