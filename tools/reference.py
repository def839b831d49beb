"""Writes what comes from code: docs/reference (settings, errors, commands, events and so on), and the editor's words.

python tools/reference.py            write them
python tools/reference.py --check    fail when one is out of date
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ade import errors
from ade.api.app import create_app, openapi_of
from ade.api.guard import REFUSALS
from ade.api.problems import FRAMEWORK_CODES, STATUS
from ade.domain.run import FAILURE_MEANINGS, FailureCode, LimitedResource
from ade.settings import PREFIX, Settings
from command_reference import commands_page
from engine_reference import artifact_page, configuration_page
from operation_reference import empty_system, events_page, metrics_page
from rule_words import rule_words

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/reference"
WORDS = ROOT / "web/src/logic/ruleWords.json"
REFUSED_BY_FRAMEWORK = {
    "bad_request": "The request cannot be understood.",
    "method_not_allowed": "This address does not know that method.",
    "not_acceptable": "This address does not answer in the form that was asked for.",
    "request_timeout": "The request was not received in time. Send it again.",
}


def main() -> int:
    """Write the pages, or compare them."""
    pages = {
        FOLDER / "settings.md": settings_page(),
        FOLDER / "errors.md": errors_page(),
        FOLDER / "cli.md": commands_page(),
        FOLDER / "events.md": events_page(),
        FOLDER / "metrics.md": metrics_page(),
        FOLDER / "configuration.md": configuration_page(),
        FOLDER / "artifact.md": artifact_page(),
        FOLDER / "openapi.json": openapi_page(),
        WORDS: rule_words(),
    }
    stale = [path for path, text in pages.items() if not is_current(path, text)]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run python tools/reference.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(pages[path], "utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


def is_current(path: Path, text: str) -> bool:
    """Return whether a page says this already."""
    return path.is_file() and path.read_text("utf-8") == text


def settings_page() -> str:
    """Return the table of all settings."""
    rows = [
        f"| `{PREFIX}{name.upper()}` | {shown(field.default)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    head = [
        "# Settings",
        "",
        "Every knob is an environment variable, checked when ADE starts: all that are wrong are named at once. Any of",
        "them can be given as a file instead, by adding `_FILE` to its name: `ADE_DATABASE_URL_FILE=/run/secrets/url`.",
        "",
        "| variable | default | meaning |",
        "| --- | --- | --- |",
    ]
    return "\n".join([*head, *rows, ""])


def shown(default: object) -> str:
    """Return a default as a cell of the table."""
    return "" if default in ("", None) else f"`{str(default).lower() if isinstance(default, bool) else default}`"


def errors_page() -> str:
    """Return the codes of problems and of failures."""
    problems = [f"| `{error.code}` | {status} | {title(error)} |" for error, status in STATUS.items()]
    problems += [f"| `{code}` | {status} | {told} |" for code, (status, told) in REFUSALS.items()]
    told_above = {error.code for error in STATUS}
    problems += [
        f"| `{code}` | {status} | {REFUSED_BY_FRAMEWORK[code]} |"
        for status, code in FRAMEWORK_CODES.items()
        if code not in told_above
    ]
    failures = [f"| `{code}` | {FAILURE_MEANINGS[code]} |" for code in FailureCode]
    resources = ", ".join(f"`{resource}`" for resource in LimitedResource)
    return "\n".join(
        [
            "# Errors",
            "",
            "## Problems of a request",
            "",
            "Answers other than 2xx are `application/problem+json` (RFC 9457) with one of these codes and a",
            "`trace_id` that is also in the log.",
            "",
            "| code | status | meaning |",
            "| --- | --- | --- |",
            *problems,
            "",
            "## Failures of a run or a build",
            "",
            "A run or build that ended badly has one of these in `failure.code`, and a sentence in `failure.message`.",
            "",
            "| code | meaning |",
            "| --- | --- |",
            *failures,
            "",
            f"`failure.resource` of a `resource_limit` is one of {resources}.",
            "",
        ]
    )


def openapi_page() -> str:
    """Return the OpenAPI document."""
    with empty_system() as system:
        document = openapi_of(create_app(system))
    return json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def title(error: type[errors.AdeError]) -> str:
    """Return what an error says of itself."""
    return (error.__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
