"""The text of /metrics, read and checked as promtool checks it."""

import re
from collections.abc import Iterator

from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

UNITS = {"milliseconds", "minutes", "hours", "days", "kilobytes", "megabytes", "mb", "kb", "ms", "percent"}
RESERVED = {"quantile": "summary", "le": "histogram"}
NAME = re.compile(r"[a-z][a-z0-9_]*")


def read(text: str) -> dict[str, Metric]:
    """Return the families of an answer by the name their lines have."""
    return {
        family.name + ("_total" if family.type == "counter" else ""): family
        for family in text_string_to_metric_families(text)
    }


def values(text: str) -> dict[str, float]:
    """Return every line that is not a comment: name and labels, and the number."""
    lines = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(number) for name, _, number in lines}


def troubles(text: str) -> Iterator[str]:
    """Yield what a linter would say: the rules of `promtool check metrics`."""
    described = set(re.findall(r"^# HELP (\S+) \S", text, re.MULTILINE))
    for name, family in read(text).items():
        if name not in described:
            yield f"{name}: no help text"
        if family.type in {"unknown", "untyped"}:
            yield f"{name}: no type"
        if not NAME.fullmatch(name):
            yield f"{name}: should be snake_case"
        if UNITS & set(name.split("_")):
            yield f"{name}: should use base units"
        if (family.type == "counter") is not name.endswith("_total"):
            yield f"{name}: a counter, and nothing else, ends in _total"
        if family.type in name.split("_"):
            yield f"{name}: should not name its type"
        labels = {label for sample in family.samples for label in sample.labels}
        for label, kind in RESERVED.items():
            if label in labels and family.type != kind:
                yield f"{name}: non-{kind} metrics should not have the label {label}"
