"""Errors as RFC 9457 problem details: one table from our errors to HTTP, and one shape for all of them."""

import re
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ade import errors
from ade.api.schemas.base import ID_EXAMPLE, ID_PATTERN
from ade.logs import get_logger

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5
MOST_ERRORS = 50  # that are listed of one request
LONGEST_PART = 100  # of the name of a field
CLIENT_CLOSED_REQUEST = 499  # what others call it too; no standard has a status for it
_INNER = re.compile(r"^(function-|literal\[|constrained-|tagged-union)|\(\)")
log = get_logger()

STATUS: dict[type[errors.AdeError], int] = {
    errors.AdeError: 500,
    errors.InvalidSettings: 500,
    errors.NotFound: 404,
    errors.FileMissing: 404,
    errors.FileRemoved: 410,
    errors.Invalid: 422,
    errors.UnreadableDocument: 422,
    errors.KeyReused: 422,
    errors.TooLarge: 413,
    errors.DocumentTooLarge: 413,
    errors.UnsupportedType: 415,
    errors.NotSignedIn: 401,
    errors.Forbidden: 403,
    errors.TooManyTries: 429,
    errors.TooManyRequests: 429,
    errors.PreconditionRequired: 428,
    errors.Conflict: 409,
    errors.RunFinished: 409,
    errors.RunNotFinished: 409,
    errors.NothingPublished: 409,
    errors.CasesNotPassed: 409,
    errors.NotEditable: 409,
    errors.Changed: 412,
    errors.RunNotQueued: 409,
    errors.OrderChanged: 412,
    errors.QueueFull: 429,
    errors.SchemaOutdated: 503,
    errors.SchemaTooNew: 503,
    errors.BackupRefused: 409,
    errors.BackupDamaged: 500,
    errors.LeaseLost: 409,
    errors.Unavailable: 503,
    errors.DatabaseBusy: 503,
    errors.DatabaseUnreachable: 503,
    errors.DriverMissing: 503,
    errors.OutcomeUnknown: 503,
    errors.FilesUnreachable: 503,
    errors.BackupRunning: 503,
    errors.ProviderUnreachable: 503,
    errors.ServerRefused: 502,
    errors.ServerUnreachable: 503,
}
# What the framework itself refuses, by status.
FRAMEWORK_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "request_timeout",
    413: "too_large",
    415: "unsupported_type",
    503: "unavailable",
}


def install_problems(app: FastAPI) -> None:
    """Answer every error with a problem, 422 and 500 included."""
    app.add_exception_handler(errors.AdeError, _from_ours)
    app.add_exception_handler(RequestValidationError, _from_validation)
    app.add_exception_handler(HTTPException, _from_framework)
    app.add_exception_handler(ClientDisconnect, _from_hanging_up)
    app.add_exception_handler(Exception, _from_bug)


def problem(request: Request, *, status: int, code: str, title: str, detail: str, **extra: Any) -> JSONResponse:
    """Return one problem."""
    trace_id = getattr(request.state, "trace_id", None)
    detail = detail.encode(errors="replace").decode()  # what the caller sent may be no Unicode
    body = {"type": f"urn:ade:problem:{code}", "title": title, "status": status, "detail": detail, "code": code}
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status in {429, 503} else None
    return JSONResponse(
        {**body, "trace_id": trace_id, **extra}, status_code=status, media_type=MEDIA_TYPE, headers=headers
    )


def _from_ours(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, errors.AdeError):
        raise TypeError(type(error))
    title = (type(error).__doc__ or "").partition("\n")[0].rstrip(".")
    return problem(request, status=STATUS[type(error)], code=error.code, title=title, detail=str(error))


def _from_validation(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise TypeError(type(error))
    # Without the input: a wrong password would otherwise come back in the answer and in logs.
    first = error.errors()[:MOST_ERRORS]
    found = [{"loc": shown(item["loc"]), "msg": _in_words(item), "type": item["type"]} for item in first]
    detail = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in found)
    return problem(
        request, status=422, code="invalid_request", title="The request is not valid", detail=detail, errors=found
    )


def shown(location: tuple[str | int, ...]) -> list[str | int]:
    """Return where something is wrong, without the names our validators have among themselves."""
    parts = [part if isinstance(part, int) else _short(part) for part in location]
    return [part for part in parts if isinstance(part, int) or not _INNER.search(part)] or ["body"]


def _short(part: str) -> str:
    """Return a name as it is shown: that of an unknown field may be as long as the request, and no Unicode."""
    return part[:LONGEST_PART].encode(errors="replace").decode()


def _in_words(item: Any) -> str:
    if item["type"] == "string_pattern_mismatch" and item.get("ctx", {}).get("pattern") == ID_PATTERN:
        return f"must be an id such as {ID_EXAMPLE}"
    return str(item["msg"])


def _from_framework(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise TypeError(type(error))
    code = FRAMEWORK_CODES.get(error.status_code, "http_error")
    response = problem(request, status=error.status_code, code=code, title=str(error.detail), detail=str(error.detail))
    response.headers.update(error.headers or {})
    return response


def _from_hanging_up(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the shape of a handler
    """Send no answer: the caller closed the connection before the request was complete."""
    log.info("request.aborted", path=request.url.path)
    return Response(status_code=CLIENT_CLOSED_REQUEST)


def _from_bug(request: Request, error: Exception) -> JSONResponse:
    log.error("request.crashed", path=request.url.path, exc_info=error)
    return problem(
        request,
        status=500,
        code="internal_error",
        title="The server had an internal error",
        detail="The log has the cause under this trace id.",
    )
