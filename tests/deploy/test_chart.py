"""The Helm chart, by Helm's own code, Kubernetes' schemas, and Parley's reader of its configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from parley.app.settings.load import read_settings
from tests.deploy.conftest import Tool
from tests.kit.checkout import ROOT

CHART = ROOT / "deploy" / "helm" / "parley"
SECRETS = {"PARLEY_STORE_URL": "postgresql://parley@db/parley", "CONSOLE_TOKEN": "0123456789abcdef"}
EVERYTHING = {
    "secrets": SECRETS,
    "imagePullSecrets": [{"name": "registry"}],
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls", "annotations": {"a": "b"}},
    "podAnnotations": {"a": "b"},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
}


def rendered(tool: Tool, values: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """The manifests by kind."""
    done = tool("python", Path(__file__).with_name("render_chart.py"), CHART, json.dumps(values))
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [each for each in said["lint"]["messages"] if each["severity"] > 1] == []
    texts = [text for name, text in said["manifests"].items() if name.endswith(".yaml")]
    return {each["kind"]: each for text in texts for each in yaml.safe_load_all(text) if each}


@pytest.mark.deploy
@pytest.mark.parametrize("version", ["1.35", "1.37"])
@pytest.mark.parametrize(
    "values", [{"secrets": SECRETS}, EVERYTHING, {"existingSecret": "mine", "replicas": 1}]
)
def test_manifests_are_as_kubernetes_says(
    tool: Tool, tmp_path: Path, values: Mapping[str, object], version: str
) -> None:
    kinds = rendered(tool, values)
    for kind, manifest in kinds.items():
        (tmp_path / f"{kind}.yaml").write_text(yaml.safe_dump(manifest))
    files = sorted(tmp_path.iterdir())
    checked = tool("kubernetes-validate", "--strict", "--no-warn", "-k", version, *files)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert ("Secret" in kinds) == ("existingSecret" not in values)
    assert ("PodDisruptionBudget" in kinds) == (values.get("replicas") != 1)


@pytest.mark.deploy
def test_a_node_of_the_chart_is_nobody_and_writes_nowhere_but_in_its_folders(tool: Tool) -> None:
    deployment = rendered(tool, {"secrets": SECRETS})["Deployment"]
    pod = deployment["spec"]["template"]["spec"]  # type: ignore[index]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"


@pytest.mark.deploy
def test_parley_reads_the_configuration_of_the_chart(tool: Tool) -> None:
    kinds = rendered(tool, {"secrets": SECRETS})
    text = kinds["ConfigMap"]["data"]["config.yaml"]  # type: ignore[index]
    (container,) = kinds["Deployment"]["spec"]["template"]["spec"]["containers"]  # type: ignore[index]
    handed = {each["name"] for each in container["env"]}
    loaded = read_settings(text, "config.yaml", SECRETS, Path("/etc/parley"))
    assert (loaded.settings.store.url, loaded.settings.agent.embedded) == (SECRETS["PARLEY_STORE_URL"], False)
    with_telegram = read_settings(text, "config.yaml", SECRETS | {"TELEGRAM_BOT_TOKEN": "1:a"}, Path("/"))
    assert "telegram" in with_telegram.channels
    assert {"TELEGRAM_BOT_TOKEN", *SECRETS} <= handed


@pytest.mark.deploy
@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "secrets.CONSOLE_TOKEN must have 12 characters or more"),
        (
            {"secrets": {"CONSOLE_TOKEN": "0123456789abcdef"}},
            "secrets.PARLEY_STORE_URL must be postgresql://",
        ),
        ({"secrets": SECRETS, "config": {"agent": {"url": "embedded"}}}, "a server that all nodes reach"),
        ({"secrets": SECRETS, "replicas": 0}, "replicas"),
    ],
)
def test_what_cannot_work_is_refused_with_its_remedy(
    tool: Tool, values: Mapping[str, object], said: str
) -> None:
    done = tool("python", Path(__file__).with_name("render_chart.py"), CHART, json.dumps(values))
    assert done.returncode != 0
    assert said in done.stderr
