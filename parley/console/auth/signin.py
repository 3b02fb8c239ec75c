"""The sign-in page of a console with a token: no script, one field."""

from __future__ import annotations

import base64
import hashlib
from string import Template

from parley.core.texts import Sentence, language_of, say

_STYLE = """
:root { color-scheme: light dark; --bg: #f7f7f5; --card: #fff; --ink: #1c1e21; --soft: #63686f;
  --line: #e2e2de; --accent: #2f6f5e; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --bg: #16181a; --card: #1f2225; --ink: #eceded;
  --soft: #a0a6ac; --line: #33373b; --accent: #6cc3a9; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px;
  background: var(--bg); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
main { width: 100%; max-width: 360px; }
form { background: var(--card); border: 1px solid var(--line);
  border-radius: 16px; padding: 32px; }
h1 { margin: 0 0 4px; font-size: 22px; letter-spacing: -.01em; }
p { margin: 0 0 20px; color: var(--soft); font-size: 14px; }
.bad { color: var(--bad); }
label { display: block; font-size: 14px; font-weight: 600; margin-bottom: 6px; }
input { width: 100%; font: inherit; color: inherit; background: var(--bg); padding: 10px 12px;
  border: 1px solid var(--line); border-radius: 10px; }
button { width: 100%; margin-top: 16px; font: inherit; font-weight: 600; padding: 10px; border: 0;
  border-radius: 10px; background: var(--accent); color: var(--card); cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
"""

_PAGE = Template(
    """<!doctype html>
<html lang="$lang"><head><meta charset="utf-8"><title>$title</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>$style</style></head>
<body><main><form method="post" action="/signin"><h1>Parley</h1><p$mood>$say</p>$more
<label for="token">$label</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>$button</button></form></main></body></html>
"""
)

_STATES = {"": Sentence.SIGNIN_SAYS, "wrong": Sentence.SIGNIN_WRONG, "wait": Sentence.SIGNIN_WAIT}

STYLE_HASH = "sha256-" + base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def signin_page(accept_language: str, state: str = "", *, generated: bool = False) -> str:
    """Return the page's HTML; `state` is "" at first, `wrong` after a wrong token, `wait` after too many.

    Nobody chose a `generated` token: it is said where to find it.
    """
    lang = language_of(accept_language.split(",")[0].split(";")[0].strip())
    mood = ' class="bad" role="alert"' if state else ""
    hint = say(lang, Sentence.SIGNIN_ADDRESS) if generated else ""
    return _PAGE.substitute(
        lang=lang,
        title=say(lang, Sentence.SIGNIN_TITLE),
        label=say(lang, Sentence.SIGNIN_LABEL),
        button=say(lang, Sentence.SIGNIN_BUTTON),
        say=say(lang, _STATES[state]) if state or not generated else hint,
        more=f"<p>{hint}</p>" if state and hint else "",
        mood=mood,
        style=_STYLE,
    )
