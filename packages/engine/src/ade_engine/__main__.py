"""The sandboxed child, once it is shut in: runs one request, reports what happens, ends with one result.

`python -m ade_engine < request.json` does the same without a sandbox, with the messages on standard output.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ade_engine.errors import DISK_IS_FULL, ConfigurationError, EngineError, ResourceLimitExceeded, full_disk
from ade_engine.protocol import (
    ANSWER,
    INFERRED,
    MAX_LINE_BYTES,
    MAX_MESSAGE_CHARACTERS,
    Event,
    Failure,
    Message,
    Request,
    Result,
    write_line,
)

if TYPE_CHECKING:
    from ade_engine.configuration.problems import Problem

Emit = Callable[[Message], None]


def main() -> int:
    """Run the request on standard input; return 0 when it succeeded."""
    request = Request.from_json(json.loads(sys.stdin.readline()))
    return 0 if serve(request, sys.stdout.fileno()).status == "succeeded" else 1


def serve(request: Request, descriptor: int) -> Result:
    """Run the request, writing its events and then its result to the descriptor."""

    def emit(message: Message) -> None:
        rest = memoryview(write_line(message))
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    result = run(request, emit)
    emit(result)
    return result


def run(request: Request, emit: Emit) -> Result:
    """Run the request and return how it ended; whatever is raised becomes a failure."""
    try:
        return ENTRIES[request.entry](request, emit)
    except MemoryError:
        return _failed("resource_limit", "The run needed more memory than it may have.", cause="memory")
    except ResourceLimitExceeded as error:
        return _failed(error.code, str(error), cause=error.resource)
    except Exception as error:  # noqa: BLE001 - rules are other people's code: anything may come out of them
        if full_disk(error):
            return _failed("internal_error", DISK_IS_FULL)
        if isinstance(error, EngineError):
            return _failed(error.code, str(error))
        traceback.print_exc()
        return _failed(ConfigurationError.code, f"{type(error).__name__}: {error}")


def _failed(code: str, message: str, *, cause: str = "") -> Result:
    return Result(status="failed", failure=Failure(code=code, message=message[:MAX_MESSAGE_CHARACTERS], cause=cause))


def _normalize(request: Request, emit: Emit) -> Result:
    pipeline: Any = importlib.import_module("ade_engine.pipeline")

    def tell(event: dict[str, Any]) -> None:
        emit(Event(str(event["event"]), {key: value for key, value in event.items() if key != "event"}))

    done = pipeline.normalize(
        request.input_path, request.output_folder, configuration=request.configuration_path, events=tell,
        **request.options,
    )  # fmt: skip
    failure = Failure(code=done.failure.code, message=done.failure.message) if done.failure else None
    outputs = tuple(path.name for path in done.output_paths)
    summary = {**done.artifact["summary"], "verdict": done.artifact["verdict"]}
    return Result(status=done.status, failure=failure, outputs=outputs, summary=summary)


def _check(request: Request, emit: Emit) -> Result:
    """Import and check a configuration, and run its cases if that is wanted; neither warnings nor cases fail it.

    The summary is its manifest, with the warnings and how the cases came out.
    """
    from ade_engine import check_configuration, load_configuration, manifest
    from ade_engine.configuration.problems import errors_of

    if request.configuration_path is None:
        raise ConfigurationError("A check needs the folder of a configuration.")
    problems = check_configuration(request.configuration_path)
    for problem in problems:
        emit(Event("problem", problem.as_json()))
        print(f"{problem.severity}: {problem}", file=sys.stderr)  # noqa: T201 - the log of the build
    if errors := errors_of(problems):
        return _failed(ConfigurationError.code, _in_words(errors))
    found = manifest(load_configuration(request.configuration_path))
    summary = {**found, "warnings": [problem.as_json() for problem in problems]}
    if request.options.get("cases"):
        summary["cases"] = _cases(Path(request.configuration_path), Path(request.output_folder))
    return Result(status="succeeded", summary=summary)


def _cases(configuration: Path, out: Path) -> list[dict[str, Any]]:
    """Run the cases; differences are left out where all of them would be more than a message may hold."""
    from ade_engine.cases import run_cases

    told, room = [], MAX_LINE_BYTES // 3
    for case in run_cases(configuration, out / "cases"):
        entry = case.as_json()
        room -= len(json.dumps(entry))
        told.append(entry if room > 0 else {**entry, "differences": []})
        print(f"case {case.name}: {case.status}", file=sys.stderr)  # noqa: T201 - the log of the build
    return told


def _list_problems(request: Request, emit: Emit) -> Result:
    """Report each problem of a configuration; having some is no failure."""
    from ade_engine import check_configuration

    if request.configuration_path is None:
        raise ConfigurationError("A check needs the folder of a configuration.")
    for problem in check_configuration(request.configuration_path):
        emit(Event("problem", problem.as_json()))
    return Result(status="succeeded")


def _infer(request: Request, _: Emit) -> Result:
    """Write a configuration inferred from the document, or a folder of some; the outputs are its files."""
    from ade_engine import InputError, example_tables, infer_configuration

    if request.input_path is None:
        raise InputError("A configuration is inferred from a document.", cause="unsupported")
    folder, given = Path(request.output_folder) / INFERRED, Path(request.input_path)
    documents = sorted(given.iterdir()) if given.is_dir() else [given]
    tables = [table for document in documents for table in example_tables(document, **request.options)]
    written = infer_configuration(folder, tables)
    return Result(status="succeeded", outputs=tuple(path.relative_to(folder).as_posix() for path in written))


def _learn(request: Request, _: Emit) -> Result:
    """Write the learned.json of a configuration with what the document adds to it."""
    from ade_engine.configuration.learned import FILE
    from ade_engine.configuration.learning import learn

    if request.input_path is None or request.configuration_path is None:
        raise ConfigurationError("Learning needs the folder of a configuration and a document.")
    folder, scratch = Path(request.output_folder) / INFERRED, Path(request.output_folder) / "run"
    text = learn(request.configuration_path, request.input_path, scratch, **request.options)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(text, encoding="utf-8", newline="\n")
    return Result(status="succeeded", outputs=(FILE,))


def _combine(request: Request, _: Emit) -> Result:
    """Put the outputs of runs, which are folders below the input, into one document."""
    from ade_engine import InputError, combine

    if request.input_path is None:
        raise InputError("Documents are combined from the folders of their results.", cause="unsupported")
    folders = [Path(request.input_path) / str(name) for name in request.options["folders"]]
    written = combine(folders, Path(request.output_folder) / f"normalized.{request.options['format']}")
    return Result(status="succeeded", outputs=tuple(path.name for path in written))


def _in_words(errors: Sequence[Problem]) -> str:
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{errors[0]}{more}"


def _run_script(request: Request, emit: Emit) -> Result:
    if request.configuration_path is None:
        raise ConfigurationError("A script needs the path of its file.")
    runpy.run_path(request.configuration_path, init_globals={"OPTIONS": dict(request.options), "emit": emit})
    return Result(status="succeeded")


def _look(request: Request, emit: Emit) -> Result:  # noqa: ARG001 - the shape of an entry
    from ade_engine.preview import look

    look(request)
    return Result(status="succeeded", outputs=(ANSWER,))


ENTRIES: dict[str, Callable[[Request, Emit], Result]] = {
    "engine": _normalize,
    "check": _check,
    "problems": _list_problems,
    "infer": _infer,
    "learn": _learn,
    "combine": _combine,
    "script": _run_script,
    "look": _look,
}


if __name__ == "__main__":
    sys.exit(main())
