"""Formulas of Word as LaTeX."""

from __future__ import annotations

import pytest

from parley.agent.files.formats.formulas import with_formulas

MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def text_of(formula: str) -> str:
    content = f'<w:p xmlns:w="{WORD}" xmlns:m="{MATH}">{formula}</w:p>'
    changed = with_formulas(content.encode()).decode()
    return changed.partition(":t>")[2].partition("</")[0].replace("&amp;", "&")


def said(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


BELOW = f"<m:sub>{said('i')}</m:sub>"


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        (said("x&lt;1%"), r"x&lt;1\%"),
        (f"<m:f><m:num>{said('a')}</m:num><m:den>{said('b')}</m:den></m:f>", r"\frac{a}{b}"),
        (
            f"<m:sSubSup><m:e>{said('x')}</m:e><m:sub>{said('i')}</m:sub><m:sup>{said('2')}</m:sup></m:sSubSup>",
            "{x}_{i}^{2}",
        ),
        (f"<m:rad><m:deg>{said('3')}</m:deg><m:e>{said('x')}</m:e></m:rad>", r"\sqrt[3]{x}"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{BELOW}<m:e>{said("i")}</m:e></m:nary>',
            "∑_{i}{i}",
        ),
        (f'<m:d><m:dPr><m:begChr m:val="{{"/></m:dPr><m:e>{said("x")}</m:e></m:d>', r"\left\{x\right)"),
        (f"<m:func><m:fName>{said('sin')}</m:fName><m:e>{said('x')}</m:e></m:func>", "sin(x)"),
        (f"<m:acc><m:e>{said('x')}</m:e></m:acc>", r"\hat{x}"),
        (f"<m:limLow><m:e>{said('lim')}</m:e><m:lim>{said('0')}</m:lim></m:limLow>", "lim_{0}"),
        (
            f"<m:m><m:mr><m:e>{said('1')}</m:e><m:e>{said('0')}</m:e></m:mr></m:m>",
            r"\begin{matrix}1 & 0\end{matrix}",
        ),
        (f"<m:unheardOf>{said('x')}</m:unheardOf>", "x"),
    ],
)
def test_a_formula_keeps_its_structure(formula: str, latex: str) -> None:
    assert text_of(f"<m:oMath>{formula}</m:oMath>") == f"${latex}$"


def test_a_formula_on_a_line_of_its_own_is_told_so() -> None:
    assert text_of(f"<m:oMathPara><m:oMath>{said('x')}</m:oMath></m:oMathPara>") == "$$x$$"


def test_a_document_without_formulas_stays_as_it_is() -> None:
    assert with_formulas(b"<not even xml") == b"<not even xml"
