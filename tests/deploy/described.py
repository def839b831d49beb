"""What the files under deploy/ say, as data."""

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def compose() -> dict[str, Any]:
    """Return compose.yaml."""
    read: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return read


def compose_environment(service: str) -> dict[str, str]:
    """Return the variables that a service gets, with the example's passwords put in."""
    lines = (DEPLOY / "compose.env.example").read_text().splitlines()
    known = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    given = compose()["services"][service].get("environment", {})
    return {name: re.sub(r"\$\{(\w+)[^}]*\}", lambda found: known[found[1]], value) for name, value in given.items()}


def manifests() -> list[dict[str, Any]]:
    """Return every Kubernetes object the kustomization applies."""
    kustomization = yaml.safe_load((DEPLOY / "kubernetes/kustomization.yaml").read_text())
    texts = [(DEPLOY / "kubernetes" / name).read_text() for name in kustomization["resources"]]
    return [manifest for text in texts for manifest in yaml.safe_load_all(text)]


def pods() -> dict[str, dict[str, Any]]:
    """Return what the pods of each part are like, by the name of the part."""
    return {
        made["metadata"]["name"]: made["spec"]["template"]["spec"]
        for made in manifests()
        if "template" in made.get("spec", {})
    }


def unit(name: str) -> dict[str, list[str]]:
    """Return the settings of a systemd unit."""
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "systemd" / name).read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, each on one line."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(word, rest) for line in text.splitlines() if line.strip() for word, _, rest in [line.partition(" ")]]


def commands() -> list[list[str]]:
    """Return every `ade` command that is started anywhere, without the word `ade`."""
    from_compose = [
        service["command"] for name, service in compose()["services"].items() if name not in ("database", "store")
    ]
    from_pods = [container["args"] for pod in pods().values() for container in pod["containers"]]
    from_image = [yaml.safe_load(rest) for word, rest in instructions() if word == "CMD"]
    units = [unit(path.name) for path in sorted((DEPLOY / "systemd").iterdir())]
    from_units = [
        shlex.split(line)[1:] for made in units for key in ("ExecStart", "ExecStartPre") for line in made.get(key, [])
    ]
    checks = [service.get("healthcheck", {}).get("test", []) for service in compose()["services"].values()]
    checks += [
        container[probe]["exec"]["command"]
        for pod in pods().values()
        for container in pod["containers"]
        for probe in ("startupProbe", "livenessProbe")
        if "exec" in container.get(probe, {})
    ]
    from_checks = [words[words.index("ade") + 1 :] for words in checks if "ade" in words]
    return [*from_compose, *from_pods, *from_image, *from_units, *from_checks]
