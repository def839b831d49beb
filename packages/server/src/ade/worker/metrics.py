"""What a run records about itself besides its result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ade import __version__
from ade.domain.verdict import Verdict
from ade.sandbox.outcome import Outcome
from ade.worker.steps import Steps
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

# Lists of runs contain it for each run. The engine's is a few totals, but a child may send as much as a message holds.
MOST_SUMMARY_CHARACTERS = 4096
MOST_ISSUES = 10**12
PASSES = ("structure", "mapping", "transform", "validate", "write")


def run_metrics(
    steps: Steps, outcome: Outcome | None, output_bytes: int, *, passes: Any, worker_id: str
) -> dict[str, Any]:
    """Return the metrics and the isolation level, as the run keeps them."""
    metrics: dict[str, Any] = {
        "steps": steps.durations,
        "output_bytes": output_bytes,
        "worker_id": worker_id,
        "engine_version": __version__,  # both distributions carry one version
    }
    if outcome is None:
        return {"metrics": metrics, "output_bytes": output_bytes}
    metrics["cpu_seconds"] = round(outcome.usage.cpu_seconds, 3)
    metrics["peak_memory_bytes"] = outcome.usage.peak_memory_bytes
    metrics["wall_seconds"] = round(outcome.usage.wall_seconds, 4)
    metrics["missing_layers"] = dict(outcome.missing)
    verdict: Any = None
    if outcome.result is not None:
        summary = dict(outcome.result.summary)
        verdict = summary.pop("verdict", None)
        metrics["summary"] = _totals(summary)
        metrics["passes"] = _seconds(passes)
    count = _issue_count(metrics.get("summary"))
    facts = {"metrics": metrics, "output_bytes": output_bytes, "isolation": outcome.level, "issue_count": count}
    return facts | _verdict(verdict)


def _verdict(given: Any) -> dict[str, Any]:
    """Return the columns of the verdict that the child gives, as far as it makes sense."""
    found = given if isinstance(given, dict) else {}
    verdict, sentence, fit = found.get("verdict"), found.get("sentence"), found.get("fit")
    if verdict not in list(Verdict):
        return {"verdict": None, "verdict_reason": None, "fit": None}
    return {
        "verdict": str(verdict),
        "verdict_reason": sentence[:MAX_MESSAGE_CHARACTERS] if isinstance(sentence, str) else None,
        "fit": float(fit) if isinstance(fit, int | float) and 0 <= fit <= 1 else None,
    }


def _issue_count(summary: Any) -> int | None:
    """Return how many issues the child says it found, as far as it makes sense."""
    issues = summary.get("issues") if isinstance(summary, dict) else None
    total = issues.get("total") if isinstance(issues, dict) else None
    return total if type(total) is int and 0 <= total < MOST_ISSUES else None


def _totals(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the child says it counted, unless that is more than totals can be."""
    return dict(summary) if len(json.dumps(summary)) <= MOST_SUMMARY_CHARACTERS else {}


def _seconds(passes: Any) -> dict[str, float]:
    """Return what the child says its passes took, as far as it makes sense."""
    given = passes if isinstance(passes, dict) else {}
    return {name: float(given[name]) for name in PASSES if isinstance(given.get(name), int | float)}
