"""What deploy/ says is true of this program: settings, commands, versions and graces."""

import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
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
    grace = int(compose_environment("worker")["ADE_SHUTDOWN_GRACE_SECONDS"])
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


def test_every_stateful_set_has_the_service_it_names() -> None:
    services = {made["metadata"]["name"]: made["spec"] for made in manifests() if made["kind"] == "Service"}

    for made in manifests():
        if made["kind"] == "StatefulSet":
            assert services[made["spec"]["serviceName"]]["selector"] == made["spec"]["selector"]["matchLabels"]


def test_secrets_go_to_the_containers_that_need_them() -> None:
    given = {name: set(compose_environment(name)) for name in compose()["services"]}
    migrate = next(pod for name, pod in pods().items() if name.startswith("ade-migrate"))

    assert not any("env_file" in service for service in compose()["services"].values())
    assert given["database"] == {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}
    assert given["store"] == {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    assert given["migrate"] == {"ADE_DATABASE_URL"}
    assert [item["name"] for item in migrate["containers"][0]["env"]] == ["ADE_DATABASE_URL"]
    assert "envFrom" not in migrate["containers"][0]


def test_everything_that_stays_up_has_a_health_check() -> None:
    services = compose()["services"]

    assert {name for name, service in services.items() if "test" not in service["healthcheck"]} == {"migrate"}
    assert services["worker"]["healthcheck"]["test"] == ["CMD", "ade", "worker", "--check"]
    for name in ("ade-api", "ade-worker"):
        assert "livenessProbe" in pods()[name]["containers"][0]
    assert [word for word, _ in instructions()].count("HEALTHCHECK") == 1


def test_one_name_says_where_the_store_is() -> None:
    pages = [ROOT / "docs/how-to" / name for name in ("deploy.md", "object-store.md")]
    named = {found for path in [*TEXTS, *pages] for found in re.findall(r"AWS_ENDPOINT\w*", path.read_text())}

    assert named == {"AWS_ENDPOINT_URL"}


def test_the_namespace_is_made_before_what_goes_into_it() -> None:
    page = (ROOT / "docs/how-to/deploy.md").read_text()
    steps = [page.index(step) for step in ("apply -f deploy/kubernetes/namespace.yaml", "create secret", "apply -k")]

    assert steps == sorted(steps)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl here")
def test_the_kustomization_can_be_rendered() -> None:
    command = ["kubectl", "kustomize", str(DEPLOY / "kubernetes")]
    rendered = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    made = [(found["kind"], found["metadata"]["name"]) for found in yaml.safe_load_all(rendered)]
    assert set(made) == {(found["kind"], found["metadata"]["name"]) for found in manifests()}


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


def test_the_size_of_the_image_is_the_one_that_the_page_names() -> None:
    page = " ".join((ROOT / "docs/how-to/deploy.md").read_text().split())
    named = re.search(r"image holds about (\d+) MB .*? pyarrow \(Parquet\) takes (\d+) MB", page)
    lock = (ROOT / "requirements/run.txt").read_text()
    locked = re.findall(r"^([\w.-]+)(?:\[.*?\])?==", lock, re.MULTILINE)
    sizes = {name: _installed_bytes(name) for name in locked}

    assert named is not None
    assert len(sizes) > 50
    assert 0.75 < int(named[1]) * 10**6 / _with_bytecode(sum(sizes.values())) < 1.25
    assert 0.75 < int(named[2]) * 10**6 / sizes["pyarrow"] < 1.25


def _installed_bytes(name: str) -> int:
    """Return the size of a package as wheels have it; 0 for one that this platform does not need."""
    try:
        files = metadata.distribution(name).files or []
    except metadata.PackageNotFoundError:
        return 0
    places = [Path(str(file.locate())) for file in files if file.suffix != ".pyc"]
    return sum(place.stat().st_size for place in places if place.is_file())


def _with_bytecode(size: int) -> float:
    return 1.15 * size  # the Dockerfile compiles all modules


def test_the_image_gets_all_it_is_built_from_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {rest.split()[0].rstrip("/") for word, rest in instructions() if word == "COPY" and "--from" not in rest}

    assert "*" in lines
    assert {line[1:] for line in lines if line.startswith("!")} == copied
