"""Events: of a run or a build as a list, a download or a stream; and one stream of all changes."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import StringConstraints
from starlette.types import Receive, Scope, Send

from ade.api.access import Access, requires
from ade.api.admission import Admission
from ade.api.changes import Change
from ade.api.dependencies import PathId, SystemDependency
from ade.api.feeds import feeds_of
from ade.api.merging import merged
from ade.api.schemas.base import ID_PATTERN
from ade.api.schemas.runs import Event, Events
from ade.api.sse import END, HEARTBEAT, RESPONSE, EventStream, message, text_message
from ade.database.content import workspaces
from ade.domain.access import LOCAL, Caller, Role
from ade.operations.views.streams import read_events

router = APIRouter(tags=["events"])
# Permissions are checked when a stream opens. So streams end from time to time, without the last event: the client
# connects again and continues after what it has seen, unless it is no longer allowed to.
LONGEST_SECONDS = 15 * 60
ABOUT_PEOPLE = {"user", "api_key"}
RunViewer = Annotated[Access, requires(Role.VIEWER, "run")]
BuildViewer = Annotated[Access, requires(Role.VIEWER, "build")]
After = Annotated[int, Query(ge=0, le=2**53, description="Only events with a higher `seq`.")]
Most = Annotated[int, Query(ge=1, le=10_000)]  # a run has no more, and 1 MB of them
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=100)]
FollowedRun = Annotated[str, StringConstraints(pattern=ID_PATTERN.removesuffix("$") + ":[0-9]{1,15}$")]
FollowedRuns = Annotated[
    list[FollowedRun],
    Query(
        default_factory=list,
        max_length=50,
        description="Send the events of these runs too: `ID:SEQ`, those with a higher `seq`.",
    ),
]
_NDJSON: dict[int | str, dict[str, Any]] = {
    200: {"description": "One event a line.", "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
}


@router.get("/runs/{run_id}/events")
def list_run_events(
    run_id: PathId,
    system: SystemDependency,
    access: RunViewer,
    after: After = 0,
    limit: Most = 1000,
) -> Events:
    """List what happened to a run, in order."""
    return _listed(system, "run", run_id, after, limit)


@router.get("/runs/{run_id}/events.ndjson", response_class=Response, responses=_NDJSON)
def download_run_events(run_id: PathId, system: SystemDependency, access: RunViewer) -> Response:
    """Download what happened to a run, one JSON document a line."""
    return _lines(system, "run", run_id)


@router.get("/runs/{run_id}/events/stream", response_class=StreamingResponse, responses=RESPONSE)
async def stream_run_events(
    run_id: PathId,
    request: Request,
    access: RunViewer,
    after: After = 0,
    last_event_id: LastEventId = None,
) -> Response:
    """Follow a run: what happened, then what happens, until it ends."""
    return _stream(request, access, _messages(request, ("run", run_id), _start(after, last_event_id)))


@router.get("/builds/{build_id}/events")
def list_build_events(
    build_id: PathId,
    system: SystemDependency,
    access: BuildViewer,
    after: After = 0,
    limit: Most = 1000,
) -> Events:
    """List what happened to a build, in order."""
    return _listed(system, "build", build_id, after, limit)


@router.get("/builds/{build_id}/events.ndjson", response_class=Response, responses=_NDJSON)
def download_build_events(build_id: PathId, system: SystemDependency, access: BuildViewer) -> Response:
    """Download what happened to a build, one JSON document a line."""
    return _lines(system, "build", build_id)


@router.get("/builds/{build_id}/events/stream", response_class=StreamingResponse, responses=RESPONSE)
async def stream_build_events(
    build_id: PathId,
    request: Request,
    access: BuildViewer,
    after: After = 0,
    last_event_id: LastEventId = None,
) -> Response:
    """Follow a build until it ends."""
    return _stream(request, access, _messages(request, ("build", build_id), _start(after, last_event_id)))


@router.get("/events", response_class=StreamingResponse, responses=RESPONSE)
async def stream_changes(
    request: Request,
    system: SystemDependency,
    access: Annotated[Access, requires(Role.VIEWER, "everything")],
    run: FollowedRuns,
    last_event_id: LastEventId = None,
) -> Response:
    """Follow everything that changes in the workspaces you see; `reset` means: read it all again, you missed some.

    Events of the runs in `run` have the type `run` and no id, and `run_end` says that a run has no more of them.
    """
    followed = dict(one.split(":") for one in run)
    visible = await to_thread.run_sync(_visible_runs, system, access.caller, list(followed))
    others = [_run_messages(request, run_id, int(followed[run_id])) for run_id in visible]
    messages = merged(_changes(request, access.caller, last_event_id), others)
    return _stream(request, access, messages, followed=len(others))


def _stream(request: Request, access: Access, messages: AsyncIterator[bytes], *, followed: int = 0) -> Response:
    """Return the answer that sends messages."""
    if access.caller is LOCAL:
        return EventStream(messages)
    return _CountedStream(messages, request.app.state.admission, access.caller.person, followed)


class _CountedStream(EventStream):
    """An event stream that counts as its listener's; instead of it, TooManyRequests when they follow too much."""

    def __init__(self, messages: AsyncIterator[bytes], admission: Admission, person: str, followed: int) -> None:
        super().__init__(messages)
        self._admission = admission
        self._person = person
        self._followed = followed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream while it counts."""
        with self._admission.stream(self._person, followed=self._followed):
            await super().__call__(scope, receive, send)


def _visible_runs(system: SystemDependency, caller: Caller, run_ids: Sequence[str]) -> list[str]:
    owners = system.database.read(lambda tx: {run_id: workspaces.owner_of(tx, "run", run_id) for run_id in run_ids})
    return [run_id for run_id, owner in owners.items() if owner is not None and caller.role_in(owner) is not None]


def _listed(system: SystemDependency, kind: str, subject_id: str, after: int, limit: int) -> Events:
    events, is_complete = read_events(system.database, system.files, kind, subject_id, after=after)
    items = [Event.model_validate(event.read()) for event in events[:limit]]
    return Events(items=items, is_complete=is_complete and len(events) <= limit)


def _lines(system: SystemDependency, kind: str, subject_id: str) -> Response:
    events, _ = read_events(system.database, system.files, kind, subject_id)
    headers = {"Content-Disposition": f'attachment; filename="{kind}-{subject_id}.ndjson"'}
    return Response(
        b"".join(event.text + b"\n" for event in events), media_type="application/x-ndjson", headers=headers
    )


def _start(after: int, last_event_id: str | None) -> int:
    is_number = last_event_id is not None and last_event_id.isascii() and last_event_id.isdecimal()
    return max(after, int(last_event_id or 0)) if is_number and len(last_event_id or "") <= 15 else after


def _ends_at() -> float:
    return asyncio.get_running_loop().time() + LONGEST_SECONDS


async def _messages(request: Request, subject: tuple[str, str], after: int) -> AsyncIterator[bytes]:
    ends_at, feeds = _ends_at(), feeds_of(request.app)
    async for events in feeds.listen(subject, after=after):
        yield b"".join(text_message(event.seq, event.type, event.text) for event in events) or HEARTBEAT
        if asyncio.get_running_loop().time() > ends_at:
            return
    if not feeds.is_hung_up:
        yield END


async def _run_messages(request: Request, run_id: str, after: int) -> AsyncGenerator[bytes, None]:
    feeds = feeds_of(request.app)
    async for events in feeds.listen(("run", run_id), after=after):
        if events:
            yield b"".join(text_message(None, "run", event.text) for event in events)
    if not feeds.is_hung_up:
        yield message(None, "run_end", {"run_id": run_id})


async def _changes(request: Request, caller: Caller, last_id: str | None) -> AsyncGenerator[bytes, None]:
    ends_at = _ends_at()
    async for changes in feeds_of(request.app).listen_to_changes(last_id):
        visible = b"".join(one.content for one in changes if one.type == "reset" or _is_visible(caller, one))
        if visible or not changes:
            yield visible or HEARTBEAT
        if asyncio.get_running_loop().time() > ends_at:
            return


def _is_visible(caller: Caller, change: Change) -> bool:
    if change.subject_kind in ABOUT_PEOPLE:
        return caller.may_administer
    if change.workspace_id is None:  # of the queue and its workers
        return caller.has_role_somewhere(Role.VIEWER)
    return caller.role_in(change.workspace_id) is not None
