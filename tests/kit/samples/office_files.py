"""Small documents of every kind, made from nothing, and some that nobody should open."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import openpyxl
import pptx
from PIL import Image

_TYPES = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def package(**entries: str | bytes) -> bytes:
    """A zip archive; `__` in a name stands for `/`, and `_dot_` for a dot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return file.getvalue()


def docx(*paragraphs: str, relations: str = "", body: str = "") -> bytes:
    """A document of Word."""
    text = "".join(f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in paragraphs)
    links = "http://schemas.openxmlformats.org/package/2006/relationships"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{links}"><Relationship Id="r1" Type="{_RELATION}/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{_WORD}" xmlns:r="{_RELATION}"><w:body>{text}{body}</w:body></w:document>',
        )
        archive.writestr(
            "word/_rels/document.xml.rels", f'<Relationships xmlns="{links}">{relations}</Relationships>'
        )
    return file.getvalue()


def xlsx(rows: int = 1) -> bytes:
    """A workbook with a heading and `rows` more rows."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Prices")
    sheet.append(["what", "price"])
    for number in range(rows):
        sheet.append([f"thing {number}", number])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def slides(title: str) -> bytes:
    """A presentation with one slide."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = title
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def pdf(*pages: str, extra: str = "") -> bytes:
    """A PDF with a line of text on each page; `extra` goes into its trailer."""
    numbers = [4 + 2 * place for place in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = {
        1: "<</Type/Catalog/Pages 2 0 R>>",
        2: f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        3: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    }
    for number, text in zip(numbers, pages, strict=True):
        content = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET"
        objects[number] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 200]/Contents {number + 1} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>"
        )
        objects[number + 1] = f"<</Length {len(content)}>>stream\n{content}\nendstream"
    out, places = b"%PDF-1.4\n", {}
    for number, text in sorted(objects.items()):
        places[number] = len(out)
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{places[number]:010} 00000 n \n" for number in sorted(places))
    start = len(out)
    out += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}".encode()
    return out + f"trailer<</Size {len(places) + 1}/Root 1 0 R{extra}>>\nstartxref\n{start}\n%%EOF".encode()


def locked_pdf() -> bytes:
    """A PDF whose password is nobody's."""
    key = "<" + "41" * 32 + ">"
    return pdf("secret", extra=f"/Encrypt<</Filter/Standard/V 1/R 2/O{key}/U{key}/P -4>>/ID[<00><00>]")


def picture(
    kind: str = "PNG", size: tuple[int, int] = (8, 8), color: tuple[int, ...] = (200, 30, 30)
) -> bytes:
    """A picture of one colour."""
    file = io.BytesIO()
    Image.new("RGBA" if len(color) == 4 else "RGB", size, color).save(file, kind)
    return file.getvalue()


def picture_bomb() -> bytes:
    """A PNG of some kilobytes that claims 40,000 times 40,000 points."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(100_000)))
        + chunk(b"IEND", b"")
    )


def zip_bomb() -> bytes:
    """A workbook of some hundred kilobytes that unpacks to 200 MB."""
    return package(xl__workbook_dot_xml="<workbook/>", xl__worksheets__sheet1_dot_xml=bytes(200_000_000))


def locked_office() -> bytes:
    """How Office keeps a document under a password: not as a zip archive at all."""
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(5000)
        + "EncryptedPackage".encode("utf-16-le")
        + bytes(500)
    )
