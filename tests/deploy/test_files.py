"""What deploy/ says is true of this program: settings, commands, versions and graces."""

import re
from typing import Any

import pytest
from typer.testing import CliRunner

from ade import __version__
from ade.cli import app
from ade.settings import PREFIX, Settings
from deploy.described import DEPLOY, ROOT, commands, compose, compose_environment, instructions, manifests, pods, unit

SETTINGS = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
TEXTS = [path for path in sorted(DEPLOY.rglob("*")) if path.is_file()]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(DEPLOY)))
def test_every_setting_that_is_named_exists(path: Any) -> None:
    named = set(re.findall(r"\bADE_[A-Z_]+\b", path.read_text()))

    assert named - SETTINGS - {"ADE_NEW_PASSWORD"} == set()


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_that_is_started_exists_with_its_options(command: list[str]) -> None:
    answer = CliRunner().invoke(app, [*command, "--help"])

    assert answer.exit_code == 0, answer.output


def test_a_command_that_does_not_exist_would_be_noticed() -> None:
    assert CliRunner().invoke(app, ["serve", "--no-such-option", "--help"]).exit_code == 2


def test_stopping_waits_longer_than_a_worker_does() -> None:
    grace = int(compose_environment()["ADE_SHUTDOWN_GRACE_SECONDS"])
    of_pods = int(_settings_of_pods()["ADE_SHUTDOWN_GRACE_SECONDS"])
    default = Settings.model_fields["shutdown_grace_seconds"].default

    assert int(compose()["services"]["worker"]["stop_grace_period"].removesuffix("s")) > grace
    assert pods()["ade-worker"]["terminationGracePeriodSeconds"] > of_pods
    assert int(unit("ade-worker@.service")["TimeoutStopSec"][0]) > default


def _settings_of_pods() -> dict[str, str]:
    return next(made["data"] for made in manifests() if made["kind"] == "ConfigMap")


def test_no_pod_runs_as_root_or_gains_privileges() -> None:
    for pod in pods().values():
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
            }


def test_objects_find_each_other_by_name_and_label() -> None:
    made = {(found["kind"], found["metadata"]["name"]): found for found in manifests()}
    labels = {
        name: found["spec"]["template"]["metadata"]["labels"]
        for (_, name), found in made.items()
        if "template" in found.get("spec", {})
    }

    assert made["Service", "ade-api"]["spec"]["selector"] == labels["ade-api"]
    assert made["PodDisruptionBudget", "ade-api"]["spec"]["selector"]["matchLabels"] == labels["ade-api"]
    for kind, name in (("Deployment", "ade-api"), ("StatefulSet", "ade-worker")):
        assert made[kind, name]["spec"]["selector"]["matchLabels"] == labels[name]
    backend = made["Ingress", "ade"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert ("Service", backend["name"]) in made
    assert ("ConfigMap", "ade") in made


def test_versions_are_the_programs() -> None:
    text = (DEPLOY / "kubernetes/kustomization.yaml").read_text()

    assert f"newTag: {__version__}" in text
    assert f"ade-migrate-{__version__}" in {made["metadata"]["name"] for made in manifests()}


def test_the_image_is_locked_and_ends_as_an_ordinary_user() -> None:
    steps = instructions()
    installs = [part for word, rest in steps if word == "RUN" for part in rest.split("&&") if "pip install" in part]

    assert [rest for word, rest in steps if word == "USER"] == ["10001"]
    assert all("--require-hashes" in part or "--no-index" in part for part in installs)
    for word, rest in steps:
        if word == "COPY" and "--from" not in rest:
            assert (ROOT / rest.split()[0]).exists(), rest
    for name in re.findall(r"requirements/\S+\.txt", (DEPLOY / "Dockerfile").read_text()):
        assert (ROOT / name).is_file()


def test_the_image_gets_all_it_is_built_from_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {rest.split()[0].rstrip("/") for word, rest in instructions() if word == "COPY" and "--from" not in rest}

    assert "*" in lines
    assert {line[1:] for line in lines if line.startswith("!")} == copied
