"""Scrape example, alert rules and dashboard under deploy/ name metrics that exist, and the rules are tested."""

import json
import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from ade.api.families import families
from ade.api.http_figures import BUCKETS, HttpFigures
from ade.database.transaction import Database
from ade.domain.queue import QueueRules
from deploy.described import DEPLOY, pods

pytestmark = pytest.mark.req("A4")
RULES, TESTS, SCRAPE = (DEPLOY / "prometheus" / name for name in ("alerts.yml", "alerts.test.yml", "prometheus.yml"))
DASHBOARD = DEPLOY / "grafana/ade.json"
NAMED = re.compile(r"\bade_[a-z_]+")
LABELLED = re.compile(r"\b(ade_[a-z_]+)\{([^}]*)\}")


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def expressions() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    series = [one["series"] for test in yaml.safe_load(TESTS.read_text())["tests"] for one in test["input_series"]]
    return [*(rule["expr"] for rule in rules()), *(each["expr"] for one in panels for each in one["targets"]), *series]


@pytest.fixture
def served(database: Database) -> dict[str, set[str]]:
    """Return the labels of each metric, by its name."""
    found = database.read(lambda tx: list(families(tx, QueueRules())))
    names: dict[str, set[str]] = {}
    for family in [*found, *HttpFigures([]).families()]:
        labels = set(getattr(family, "_labelnames", ())) | {"instance", "job"}
        endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(family.type, ("",))
        for ending in endings:
            names[f"{family.name}{ending}"] = labels | ({"le"} if ending == "_bucket" else set())
    return names


def test_every_metric_of_rules_and_dashboard_exists_with_its_labels(served: dict[str, set[str]]) -> None:
    named = {name for text in expressions() for name in NAMED.findall(text)}
    labelled = [(name, inner) for text in expressions() for name, inner in LABELLED.findall(text)]

    assert named <= set(served)
    assert len(named) > 12
    for name, inner in labelled:
        assert set(re.findall(r"(\w+)\s*=", inner)) <= served[name], (name, inner)


def test_every_rule_is_shown_to_fire_and_to_stay_silent() -> None:
    quiet, troubled = yaml.safe_load(TESTS.read_text())["tests"]
    names = [rule["alert"] for rule in rules()]

    assert [one["alertname"] for one in quiet["alert_rule_test"]] == names
    assert [one["alertname"] for one in troubled["alert_rule_test"]] == names
    assert all(not one["exp_alerts"] for one in quiet["alert_rule_test"])
    assert all(one["exp_alerts"] for one in troubled["alert_rule_test"])


def test_every_rule_says_how_bad_it_is_and_what_to_do() -> None:
    for rule in rules():
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert set(rule["annotations"]) == {"summary", "description"}


def test_the_edge_a_slow_request_is_told_by_is_one_that_is_counted() -> None:
    [rule] = [one for one in rules() if one["alert"] == "AdeRequestsSlow"]

    assert float(rule["expr"].rpartition(">")[2]) in BUCKETS


def test_the_pods_the_scrape_example_looks_for_are_those_of_the_api() -> None:
    text = SCRAPE.read_text()
    [labels] = [pod["metadata"]["labels"] for pod in _templates("ade-api")]

    assert f"regex: {labels['app']};{labels['part']}" in text
    assert "ade-api" in pods()
    assert "ADE_METRICS_TOKEN" in text


def _templates(name: str) -> list[dict[str, Any]]:
    made = yaml.safe_load_all((DEPLOY / "kubernetes/api.yaml").read_text())
    return [one["spec"]["template"] for one in made if one["metadata"]["name"] == name and "template" in one["spec"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "rules", str(RULES)],
        ["test", "rules", str(TESTS)],
        ["check", "config", "--syntax-only", str(SCRAPE)],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_promtool_finds_nothing_to_say(arguments: list[str]) -> None:
    tool = shutil.which("promtool")
    if tool is None:
        pytest.skip("promtool is not installed")
    checked = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stdout + checked.stderr
