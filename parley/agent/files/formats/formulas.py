"""Formulas of Word as LaTeX: their structure in its commands, their signs as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.etree import ElementTree as ET

from .xml_text import WORD, parse, written

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SPECIAL = {sign: f"\\{sign}" for sign in "{}_^#&$%"} | {"\\": r"\backslash "}
_NEW_LINE = r" \\ "
_ACCENTS = {
    "\u0300": "grave",
    "\u0301": "acute",
    "\u0302": "hat",
    "\u0303": "tilde",
    "\u0304": "bar",
    "\u0305": "overline",
    "\u0306": "breve",
    "\u0307": "dot",
    "\u0308": "ddot",
    "\u030c": "check",
    "\u20d6": "overleftarrow",
    "\u20d7": "vec",
    "\u00af": "bar",
}


def with_formulas(content: bytes) -> bytes:
    """Return a part of a document with LaTeX for its formulas: `$...$`, or `$$...$$` for lines of them."""
    if b"oMath" not in content:
        return content
    root = parse(content)
    for parent in list(root.iter()):
        for place, child in enumerate(parent):
            if child.tag == f"{_MATH}oMathPara":
                formulas = [f"$${_latex(each)}$$" for each in child.iter(f"{_MATH}oMath")]
                parent[place] = _run(" ".join(formulas), child.tail)
            elif child.tag == f"{_MATH}oMath":
                parent[place] = _run(f"${_latex(child)}$", child.tail)
    return written(root)


def _run(text: str, tail: str | None) -> ET.Element:
    run = ET.Element(f"{WORD}r")
    ET.SubElement(run, f"{WORD}t").text = text
    run.tail = tail
    return run


def _latex(element: ET.Element) -> str:
    """Return what stands in an element; of one that is not known, what stands in its parts."""
    name = element.tag.removeprefix(_MATH)
    if name == "t":
        return "".join(_SPECIAL.get(sign, sign) for sign in element.text or "")
    made = _MAKERS.get(name)
    return made(element) if made else "".join(map(_latex, element))


def _part(element: ET.Element, name: str) -> str:
    found = element.find(_MATH + name)
    return "" if found is None else _latex(found)


def _parts(element: ET.Element, name: str) -> list[str]:
    return [_latex(each) for each in element.iterfind(_MATH + name)]


def _property(element: ET.Element, name: str, default: str) -> str:
    """Return a sign that an element's properties name."""
    found = element.find(f"{_MATH}{element.tag.removeprefix(_MATH)}Pr/{_MATH}{name}")
    return default if found is None else found.get(f"{_MATH}val", "")


def _scripts(element: ET.Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    return (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


def _script(element: ET.Element) -> str:
    return f"{{{_part(element, 'e')}}}{_scripts(element)}"


def _fraction(element: ET.Element) -> str:
    return rf"\frac{{{_part(element, 'num')}}}{{{_part(element, 'den')}}}"


def _root(element: ET.Element) -> str:
    degree = _part(element, "deg")
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _sum(element: ET.Element) -> str:
    return f"{_property(element, 'chr', '∫')}{_scripts(element)}{{{_part(element, 'e')}}}"


def _brackets(element: ET.Element) -> str:
    between = _property(element, "sepChr", "|").join(_parts(element, "e"))
    begin, end = (_property(element, name, default) for name, default in (("begChr", "("), ("endChr", ")")))
    return f"\\left{_SPECIAL.get(begin, begin) or '.'}{between}\\right{_SPECIAL.get(end, end) or '.'}"


def _function(element: ET.Element) -> str:
    return f"{_part(element, 'fName')}({_part(element, 'e')})"


def _accent(element: ET.Element) -> str:
    return f"\\{_ACCENTS.get(_property(element, 'chr', chr(0x302)), 'hat')}{{{_part(element, 'e')}}}"


def _bar(element: ET.Element) -> str:
    command = "overline" if _property(element, "pos", "bot") == "top" else "underline"
    return f"\\{command}{{{_part(element, 'e')}}}"


def _below(element: ET.Element) -> str:
    return f"{_part(element, 'e')}_{{{_part(element, 'lim')}}}"


def _above(element: ET.Element) -> str:
    return f"{_part(element, 'e')}^{{{_part(element, 'lim')}}}"


def _matrix(element: ET.Element) -> str:
    return _lines(" & ".join(_parts(row, "e")) for row in element.iterfind(f"{_MATH}mr"))


def _equations(element: ET.Element) -> str:
    return _lines(_parts(element, "e"))


def _lines(lines: Iterable[str]) -> str:
    return rf"\begin{{matrix}}{_NEW_LINE.join(lines)}\end{{matrix}}"


_MAKERS: dict[str, Callable[[ET.Element], str]] = {
    "sSub": _script,
    "sSup": _script,
    "sSubSup": _script,
    "sPre": lambda element: f"{_scripts(element)}{{{_part(element, 'e')}}}",
    "f": _fraction,
    "rad": _root,
    "nary": _sum,
    "d": _brackets,
    "func": _function,
    "acc": _accent,
    "bar": _bar,
    "limLow": _below,
    "limUpp": _above,
    "m": _matrix,
    "eqArr": _equations,
}
