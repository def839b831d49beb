"""The web UI: files that never change under their names, and one page for every address that is a page's."""

from mimetypes import guess_type
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

BUILT = Path(__file__).parent / "static"
# What is not a page: an unknown address there is an error, and a program wants to hear so.
RESERVED = ("api", "healthz", "readyz", "metrics", "assets")
FOR_EVER = "public, max-age=31536000, immutable"  # a name with a hash in it never means anything else
ASK_FIRST = "no-cache"
ENCODINGS = {"br": ".br", "gzip": ".gz"}  # the smaller one first
NOT_BUILT = """\
<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>ADE</title><meta name="color-scheme" content="light dark"></head>
  <body style="font: 16px/1.6 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem">
    <h1>The web UI is not built</h1>
    <p>The API answers under <a href="/api/v1/openapi.json">/api/v1</a>, but this installation has no pages.</p>
    <p>From a clone, <code>bin/ade serve</code> builds them. If <code>ADE_SKIP_UI</code> is set, unset it first.
       By hand: <code>python packages/server/hatch_build.py</code></p>
  </body>
</html>
"""
router = APIRouter(include_in_schema=False)


def install_ui(app: FastAPI, built: Path = BUILT) -> None:
    """Serve the pages; last, since they take every address that is left."""
    app.state.ui = built
    app.include_router(router)


@router.get("/assets/{name}")
def get_asset(name: str, request: Request) -> Response:
    """Return a file whose name holds a hash of what is in it."""
    folder: Path = request.app.state.ui / "assets"
    path = folder / name
    if path.parent != folder or not _is_file(path):
        raise HTTPException(404, "There is no such file.")
    return _compressed(path, request) or FileResponse(path, headers={"Cache-Control": FOR_EVER})


def _compressed(path: Path, request: Request) -> Response | None:
    """Return the smallest form of an asset that the build made and the browser takes, or None."""
    accepted = {part.split(";")[0].strip() for part in request.headers.get("accept-encoding", "").split(",")}
    for encoding, ending in ENCODINGS.items():
        form = path.with_name(path.name + ending)
        if encoding in accepted and _is_file(form):
            headers = {"Cache-Control": FOR_EVER, "Content-Encoding": encoding, "Vary": "Accept-Encoding"}
            return FileResponse(form, headers=headers, media_type=guess_type(path.name)[0])
    return None


@router.get("/{path:path}")
def get_page(path: str, request: Request) -> Response:
    """Return a file of the UI, or its page: which one it shows is for the page to decide."""
    if path.partition("/")[0] in RESERVED:
        raise HTTPException(404, "There is nothing under this address.")
    folder: Path = request.app.state.ui
    file = folder / path
    if path and "/" not in path and file.parent == folder and _is_file(file):
        return FileResponse(file, headers={"Cache-Control": ASK_FIRST})
    if not (folder / "index.html").is_file():
        return HTMLResponse(NOT_BUILT, headers={"Cache-Control": "no-store"})
    return FileResponse(folder / "index.html", headers={"Cache-Control": ASK_FIRST})


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long to be one, or with a character none has
        return False
