"""What `parley doctor` and `parley check` print holds no secret, wherever one is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parley.app.cli import main

SECRET = "unspoken"
AWAY = "127.0.0.1:9"
WITH_PASSWORD = f"http://user:{SECRET}@{AWAY}/v1"
CONFIG = {
    "agent": {
        "url": WITH_PASSWORD,
        "api_key": f"{SECRET}-agent",
        "headers": {"x-way": f"Bearer {SECRET}-way"},
    },
    "memory": {"model_name": "openai:m", "model_api_key": f"sk-{SECRET}", "base_url": WITH_PASSWORD},
    "transcription": {"url": WITH_PASSWORD, "api_key": f"{SECRET}-ears"},
    "speech": {"url": WITH_PASSWORD, "api_key": f"{SECRET}-voice"},
    "store": {"url": f"postgresql://user:{SECRET}@{AWAY}/parley"},
    "console": {"port": 0, "token": f"{SECRET}-console"},
    "channels": {
        "telegram": {"bot_token": f"1:{SECRET}", "api_url": f"http://{AWAY}"},
        "slack": {"bot_token": f"xoxb-{SECRET}", "app_token": f"xapp-{SECRET}", "api_url": f"http://{AWAY}"},
        "feishu": {"app_id": "cli_a", "app_secret": f"{SECRET}-feishu", "domain": f"http://{AWAY}"},
        "dingtalk": {"client_id": "a", "client_secret": f"{SECRET}-ding", "api_url": f"http://{AWAY}"},
    },
}


@pytest.mark.parametrize("command", [("doctor", "--json"), ("check",)])
def test_no_secret_is_printed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://user:{SECRET}@{AWAY}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(json.dumps(CONFIG))
    (tmp_path / "config.yaml").chmod(0o600)
    assert main([*command, "--config", "config.yaml"]) == 1
    said = "".join(capsys.readouterr())
    assert SECRET not in said, said[max(0, said.index(SECRET) - 300) :][:600]
    assert "agent.url" in said
