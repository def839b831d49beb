"""Starts children: shut in, watched, and gone without a trace when they end or their worker does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from ade.domain.isolation import Isolation
from ade.sandbox.child import Child, Pipes
from ade.sandbox.inside.channel import KIND, Ends, send_line
from ade.sandbox.inside.spec import ENVIRONMENT, LAYERS, MIB, PROXY_ENVIRONMENT, Limits, Network, Spec
from ade.sandbox.interpreter import (
    CERTIFICATE_PATHS,
    RESOLVER_PATHS,
    SYSTEM_PATHS,
    find_interpreter,
    is_root,
    readable_of,
    trusted_modules,
    unreachable,
)
from ade.sandbox.zygotes import Spawner, Zygotes, ZygoteUnavailable
from ade_engine.protocol import Request

Mode = Literal["zygote", "spawn"]

PRELOAD = ("ade_engine.__main__", "ade_engine.preload")
TEMPORARY = "tmp"
MOST_REQUEST_BYTES = 4 * MIB


def default_minimum() -> Isolation:
    """Return the weakest level a run starts under unless the operator says otherwise."""
    return Isolation.CONFINED if sys.platform == "linux" else Isolation.LIMITS


class Launcher:
    """Starts one child per request. Several threads may use one launcher, each with a slot of its own."""

    def __init__(
        self,
        *,
        minimum: Isolation | None = None,
        mode: Mode = "zygote",
        python: str = sys.executable,
        first_uid: int = 61_000,
        runs_per_zygote: int = 200,
        without: frozenset[str] = frozenset(),
        network: Network | None = None,
    ) -> None:
        """`without` leaves layers out, for tests that must see the escape they prevent.

        `network` bounds what children with network access may reach and move.
        """
        self._minimum = default_minimum() if minimum is None else minimum
        self._interpreter = find_interpreter(python)
        self._first_uid = first_uid
        self._network = network or Network()
        self._layers = tuple(layer for layer in LAYERS if layer not in without)
        self._spawner = Spawner(self._interpreter, closes_descriptors="descriptors" not in without)
        self._zygotes = Zygotes(self._spawner, preload=PRELOAD, runs_per_zygote=runs_per_zygote)
        # Descriptors travel to a zygote in packets, which only Linux keeps apart.
        self._mode: Mode = mode if sys.platform == "linux" else "spawn"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def warm(self) -> None:
        """Prepare what later starts will need; without a zygote they are spawned."""
        if self._mode == "zygote":
            with suppress(ZygoteUnavailable):
                self._zygotes.warm()

    def zygote_pid(self) -> int | None:
        """Return the process id of the zygote in use, if there is one."""
        return self._zygotes.pid()

    def close(self) -> None:
        """End everything this launcher started."""
        self._zygotes.close()
        self._spawner.close()

    def admit(self, folder: Path, *, slot: int) -> None:
        """Give only our user and the user of a slot access to a folder that was made under a strict umask."""
        if is_root():
            os.chown(folder, -1, self._first_uid + slot)
            folder.chmod(0o750)

    def start(
        self, request: Request, *, limits: Limits | None = None, slot: int = 0, is_network_allowed: bool = False
    ) -> Child:
        """Start a child in an existing output folder; it is killed if it is not followed to its end.

        With network access it reaches public addresses through a proxy, or does not start.
        """
        limits = limits or Limits()
        spec = self._spec(request, limits, slot=slot, is_network_allowed=is_network_allowed)
        content = spec.to_bytes()
        if len(content) > MOST_REQUEST_BYTES:
            raise ValueError(
                f"the request is larger than {MOST_REQUEST_BYTES} bytes: hand over files, not their content"
            )
        pipes, ends = _connect()
        try:
            reap = self._start_keeper(ends)
        except BaseException:
            pipes.close()
            raise
        finally:
            for number in ends.as_list():
                os.close(number)
        with suppress(BrokenPipeError, ConnectionResetError):  # it has ended already, and following it tells
            send_line(pipes.channel, content)
        return Child(pipes, limits=limits, minimum=self._minimum, reap=reap, needs_network=spec.network is not None)

    def _start_keeper(self, ends: Ends) -> Callable[[], None]:
        if self._mode == "zygote":
            try:
                self._zygotes.fork(ends)
            except ZygoteUnavailable:
                pass
            else:
                return _nothing
        process = self._spawner.start("keeper", ends.as_list(), ends=ends.as_list())
        return lambda: _reap(process)

    def _spec(self, request: Request, limits: Limits, *, slot: int, is_network_allowed: bool) -> Spec:
        output = Path(request.output_folder).resolve(strict=True)
        named = (request.input_path, request.configuration_path, request.site_packages, *request.import_paths)
        given = [path for path in named if path]
        _require_outside(output, given)
        temporary = output / TEMPORARY
        temporary.mkdir(mode=0o700, exist_ok=True)
        modules = trusted_modules()
        readable = [*self._interpreter.library, *map(readable_of, modules.values()), *given]
        uid, closed_path = self._identity(slot, [*readable, str(output.parent / TEMPORARY)])
        if uid is not None and not closed_path and "identity" in self._layers:
            for folder in (output, temporary):
                os.chown(folder, uid, uid)
                folder.chmod(0o700)
        network = self._proxy(uid) if is_network_allowed else None
        certificates = CERTIFICATE_PATHS if network else ()
        return Spec(
            layers=self._layers, limits=limits, uid=uid, closed_path=closed_path,
            network=network, readable=(*SYSTEM_PATHS, *certificates, *readable), writable=(str(output),),
            working_folder=str(output), environment=self._environment(temporary, has_network=network is not None),
            modules=modules, request=request.as_json(),
        )  # fmt: skip

    def _identity(self, slot: int, needed: list[str]) -> tuple[int | None, str]:
        """Return the user a child of root becomes, and what that user could not reach: then it must remain root."""
        if not is_root():
            return None, ""
        uid = self._first_uid + slot
        return uid, unreachable(needed, uid) or ""

    def _proxy(self, uid: int | None) -> Network:
        readable = (*SYSTEM_PATHS, *RESOLVER_PATHS, *self._interpreter.library)
        return replace(self._network, uid=uid, readable=readable)

    def _environment(self, temporary: Path, *, has_network: bool) -> dict[str, str]:
        proxy = PROXY_ENVIRONMENT if has_network else {}
        if "environment" not in self._layers:
            return {**os.environ, **proxy}
        return {**ENVIRONMENT, **proxy, "HOME": str(temporary), "TMPDIR": str(temporary)}


def _connect() -> tuple[Pipes, Ends]:
    channel, inside = socket.socketpair(socket.AF_UNIX, KIND)
    gate, write_gate = os.pipe()
    read_messages, messages = os.pipe()
    read_log, log = os.pipe()
    ends = Ends(channel=inside.detach(), gate=gate, messages=messages, log=log)
    return Pipes(channel=channel, gate=write_gate, messages=read_messages, log=read_log), ends


def _require_outside(output: Path, given: list[str]) -> None:
    for path in given:
        if Path(path).resolve().is_relative_to(output):
            raise ValueError(f"{path} lies in the output folder, where the child could change it")


def _nothing() -> None:
    """A zygote reaps its own."""


def _reap(process: subprocess.Popen[bytes]) -> None:
    process.wait()
