"""`python scripts/install.py LOCK [--no-deps]`: install a locked requirements file into this environment.

uv does it in a fifth of pip's time. It is fetched for this and not kept; where it cannot be had, or fails,
pip installs.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_UV = Path(__file__).parents[1] / "requirements" / "uv.txt"
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
_INSTALL = (*_PIP, "install", "--quiet", "--no-compile", "--require-hashes")
_SECTIONS = ("global.", "install.", ":env:.")
"""Of pip's configuration, the one that wins last."""
_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
_SEPARATORS = {"UV_FIND_LINKS": ","}
"""Where it is not a space, as it is for pip."""


def main(arguments: list[str]) -> int:
    """Install; return the exit status of pip where uv did not do it."""
    lock, *options = arguments
    if _with_uv(lock, options):
        return 0
    return subprocess.run([*_INSTALL, *options, "-r", lock], check=False).returncode


def _with_uv(lock: str, options: list[str]) -> bool:
    with tempfile.TemporaryDirectory(prefix="parley-uv-") as folder:
        fetch = [*_INSTALL, "--target", folder, "-r", str(_UV)]
        if subprocess.run(fetch, capture_output=True, check=False).returncode:
            return False
        uv = [str(Path(folder, "bin", "uv")), "pip", "install", "--quiet", "--python", sys.executable]
        command = [*uv, "--require-hashes", *options, "-r", lock]
        return any(
            subprocess.run(command, env=each, capture_output=True, check=False).returncode == 0
            for each in _environments()
        )


def _environments() -> list[dict[str, str]]:
    """Return environments for uv, to be tried in turn.

    pip takes the best file of all indexes. uv takes that of the first index which has the version, and the
    extra ones come first: one that has a wheel without its libraries would hide the right one.
    """
    whole = _environment()
    narrow = {name: value for name, value in whole.items() if name != "UV_INDEX" or name in os.environ}
    return [narrow, whole] if narrow != whole else [whole]


def _environment() -> dict[str, str]:
    """Return the environment for uv, which does not read where pip is told to look."""
    said = subprocess.run([*_PIP, "config", "list"], capture_output=True, text=True, check=False).stdout
    lines = [line.partition("=") for line in said.splitlines()]
    found = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip does; hashes say what is right
    for section in _SECTIONS:
        for key, _, value in lines:
            name = _NAMES.get(key.removeprefix(section)) if key.startswith(section) else None
            if name is not None:
                found[name] = _SEPARATORS.get(name, " ").join(str(ast.literal_eval(value)).split())
    return {**found, **os.environ}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
