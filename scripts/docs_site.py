"""`python scripts/docs_site.py [FOLDER]`: build the documents' site, strictly, into FOLDER (site/).

README.md and other pages from outside `docs/` become pages of the site, with their links changed to where
these are in the site. The build fails for a link that leads nowhere, and for a page that would load anything
from elsewhere while somebody reads it.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

import yaml

_ROOT = Path(__file__).parents[1]
_STAGE = _ROOT / ".docs_cache"
_CONFIG = "docs/site/mkdocs.yml"
_AT_TOP = {
    "README.md": "index.md",
    "README.zh.md": "zh/index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security-policy.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "license.txt",
    "config.yaml": "config.yaml",
    "examples/README.md": "agents.md",
}
_LINK = re.compile(r"(\]\(|src=\")([^)\s\":]+)")
_NAMED = re.compile(r"\[`?([\w-]+\.md)`?\]\(([^)\s#]+)(#[^)\s]+)?\)")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
_LOADED = {"stylesheet", "icon", "preload", "preconnect", "prefetch", "modulepreload"}

Nav = list[object]


def main(arguments: list[str]) -> int:
    """Build; return the exit status."""
    target = Path(arguments[0] if arguments else _ROOT / "site").resolve()
    pages = stage(_STAGE / "docs")
    config = yaml.safe_load((_ROOT / _CONFIG).read_text("utf-8"))
    config |= {"docs_dir": "docs", "site_dir": "html", "nav": navigation(config["nav"], pages)}
    (_STAGE / "mkdocs.yml").write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), "utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", "mkdocs.yml"]
    built = subprocess.run(command, cwd=_STAGE, env={"NO_COLOR": "1", "PATH": ""}, check=False)
    if built.returncode:
        return built.returncode
    wrong = [f"{page}: {each}" for page, each in loaded_from_elsewhere(_STAGE / "html")]
    if wrong:
        print("These pages load something from elsewhere:", *wrong, sep="\n  ", file=sys.stderr)
        return 1
    shutil.rmtree(target, ignore_errors=True)
    shutil.move(_STAGE / "html", target)
    print(f"{len(pages)} pages: open {target / 'index.html'}")
    return 0


def sources() -> dict[str, str]:
    """Return where each file of the site comes from, and its place there."""
    documents = (path for path in sorted((_ROOT / "docs").rglob("*")) if path.is_file())
    found = {
        path.relative_to(_ROOT).as_posix(): path.relative_to(_ROOT / "docs").as_posix() for path in documents
    }
    examples = sorted((_ROOT / "examples").glob("*/README.md"))
    found |= {path.relative_to(_ROOT).as_posix(): f"examples/{path.parent.name}.md" for path in examples}
    found |= {source: place for source, place in _AT_TOP.items() if (_ROOT / source).is_file()}
    return {source: place for source, place in found.items() if source != _CONFIG}


def stage(folder: Path) -> list[str]:
    """Put the site's files together in a folder; return the pages."""
    shutil.rmtree(folder.parent, ignore_errors=True)
    places = sources()
    for source, place in places.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.endswith(".md"):
            text = (_ROOT / source).read_text("utf-8")
            target.write_text(indented(linked(titled(text, source), source, places)), "utf-8")
        else:
            shutil.copyfile(_ROOT / source, target)
    return sorted(place for place in places.values() if place.endswith(".md"))


def titled(text: str, source: str) -> str:
    """Return a document whose links that show a file's name show that page's title instead."""

    def shown(link: re.Match[str]) -> str:
        target = _ROOT / posixpath.dirname(source) / link[2]
        title = _TITLE.search(target.read_text("utf-8")) if target.is_file() else None
        return f"[{title[1]}]({link[2]}{link[3] or ''})" if title else link[0]

    return _NAMED.sub(shown, text)


def indented(text: str) -> str:
    """Return a document with what belongs to a list's item indented as the site's markdown wants it."""
    fenced, lines = False, []
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        inner = re.match(r" {2}[-*] | {3}", line) if not fenced else None
        lines.append(f"{' ' if inner and inner[0] == '   ' else '  '}{line}" if inner else line)
    return "\n".join((*lines, ""))


def linked(text: str, source: str, places: Mapping[str, str]) -> str:
    """Return a document with its links as they are from its place in the site. Code stays as it is."""

    def moved(link: re.Match[str]) -> str:
        path, mark, heading = link[2].partition("#")
        named = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else ""
        if named not in places:
            return link[0]
        to = posixpath.relpath(places[named], posixpath.dirname(places[source]) or ".")
        return f"{link[1]}{to}{mark}{heading}"

    parts, last = [], 0
    for code in _CODE.finditer(text):
        parts += [_LINK.sub(moved, text[last : code.start()]), code[0]]
        last = code.end()
    return "".join((*parts, _LINK.sub(moved, text[last:])))


def navigation(entries: Nav, pages: list[str]) -> Nav:
    """Return the navigation with patterns filled in, without pages that do not exist.

    Pages that it does not name stand in a section at its end.
    """
    named = set(_named(entries))
    filled = _filled(entries, pages, named)
    rest = sorted(set(pages) - set(_named(filled)))
    return [*filled, *([{"More": list(rest)}] if rest else [])]


def _named(entries: Nav) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, dict):
            for value in entry.values():
                yield from _named(value if isinstance(value, list) else [value])
        else:
            yield str(entry)


def _filled(entries: Nav, pages: list[str], named: set[str]) -> Nav:
    filled: Nav = []
    for entry in entries:
        if isinstance(entry, dict):
            ((title, value),) = entry.items()
            if isinstance(value, list):
                inside = _filled(value, pages, named)
                filled += [{title: inside}] if inside else []
            elif value in pages:
                filled.append(entry)
        elif str(entry).endswith("*.md"):
            folder = str(entry).removesuffix("*.md")
            filled += [page for page in pages if page.startswith(folder) and page not in named]
        elif entry in pages:
            filled.append(entry)
    return filled


class _Loads(HTMLParser):
    """What a page loads when it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the address that this element makes a browser load."""
        given = dict(attrs)
        address = given.get(_LOADING.get(tag, "")) or ""
        if tag == "link" and not _LOADED & set((given.get("rel") or "").split()):
            return
        if address.startswith(("http:", "https:", "//")):
            self.found.append(address)


def loaded_from_elsewhere(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each address on another host that a built page loads by itself."""
    for page in sorted(folder.rglob("*.html")):
        loads = _Loads()
        loads.feed(page.read_text("utf-8"))
        yield from ((page.relative_to(folder).as_posix(), each) for each in loads.found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
