"""The sign-in page of a console with a token: no script, one field."""

from __future__ import annotations

import base64
import hashlib
from string import Template

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

_WORDS = {
    "en": {
        "title": "Sign in to Parley",
        "label": "Access token",
        "button": "Sign in",
        "": "Enter the token that was set for this server.",
        "wrong": "That is not the token. Please check it and try again.",
        "wait": "Too many tries. Please wait a minute, then try again.",
        "address": "Open the address that Parley printed when it started, beginning with “Open http”; the "
        "command “parley address” prints it again. Or enter the token from the file “token” in the data "
        "folder.",
    },
    "zh": {
        "title": "登录 Parley",
        "label": "访问令牌",
        "button": "登录",
        "": "请输入此服务器设置的令牌。",
        "wrong": "令牌不正确，请检查后重试。",
        "wait": "尝试次数过多，请一分钟后再试。",
        "address": "请打开 Parley 启动时显示的地址（以 Open http 开头），或用命令 parley address 再次显示。"
        "也可以输入数据文件夹中 token 文件里的令牌。",
    },
}

STYLE_HASH = "sha256-" + base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def signin_page(accept_language: str, state: str = "", *, generated: bool = False) -> str:
    """Return the page's HTML; `state` is "" at first, `wrong` after a wrong token, `wait` after too many.

    Nobody chose a `generated` token: it is said where to find it.
    """
    lang = "zh" if accept_language.lower().startswith("zh") else "en"
    words = _WORDS[lang]
    mood = ' class="bad" role="alert"' if state else ""
    hint = words["address"] if generated else ""
    return _PAGE.substitute(
        lang=lang,
        title=words["title"],
        label=words["label"],
        button=words["button"],
        say=words[state] if state or not generated else hint,
        more=f"<p>{hint}</p>" if state and hint else "",
        mood=mood,
        style=_STYLE,
    )
