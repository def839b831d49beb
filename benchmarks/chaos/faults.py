"""What can go wrong, one function each."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import psycopg
from site_of_chaos import DATABASE_HOST, LEASE_SECONDS, Site

FILL_SECONDS = 4
CLOCK_TOLERANCE_SECONDS = 10


@dataclass(frozen=True)
class Fault:
    """Something to break, and where it can be."""

    inject: Callable[[Site, random.Random], None]
    is_possible: Callable[[Site], bool] = lambda _site: True


def kill_worker(site: Site, chance: random.Random) -> None:
    """Kill a worker; another of its name starts after a while."""
    name = chance.choice(site.workers)
    site.kill(name)
    site.pause(chance.uniform(0, 2))
    site.start(name)


def lose_host(site: Site, chance: random.Random) -> None:
    """Kill a worker, and leave its runs to the others until their leases end."""
    name = chance.choice(site.workers)
    site.kill(name)
    site.pause(LEASE_SECONDS * 1.5)
    site.start(name)


def kill_child(site: Site, chance: random.Random) -> None:
    """Kill any process a worker started: a zygote, a keeper or a run itself."""
    children = site.children_of(chance.choice(site.workers))
    if children:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(children), signal.SIGKILL)


def kill_server(site: Site, chance: random.Random) -> None:
    """Kill an API server and start it again."""
    name = chance.choice(site.servers)
    site.kill(name)
    site.pause(chance.uniform(0, 1))
    site.start(name)


def restart_worker(site: Site, chance: random.Random) -> None:
    """Stop a worker in good order, as an upgrade does."""
    name = chance.choice(site.workers)
    site.terminate(name)
    site.start(name)


def freeze_worker(site: Site, chance: random.Random) -> None:
    """Let a worker stand still until others took its runs; then it continues as if nothing had been."""
    name = chance.choice(site.workers)
    site.send(name, signal.SIGSTOP)
    site.pause(LEASE_SECONDS * chance.uniform(1.2, 2))
    site.send(name, signal.SIGCONT)


def restart_database(site: Site, chance: random.Random) -> None:
    """Restart the database, in good order or as after a power cut."""
    if site.postgres:
        site.postgres.restart(crash=chance.random() < 0.5)


def hang_database(site: Site, chance: random.Random) -> None:
    """Let the database accept and not answer."""
    if site.postgres:
        site.postgres.pause()
        site.pause(chance.uniform(0.5, LEASE_SECONDS * 1.5))
        site.postgres.resume()


def cut_connections(site: Site, _chance: random.Random) -> None:
    """Cut every connection to the database."""
    others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
    )
    if site.postgres:
        with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
            connection.execute(others)


def slow_store(site: Site, chance: random.Random) -> None:
    """Let every piece to and from the store take its time."""
    if site.road:
        site.road.delay_seconds = chance.uniform(0.05, 0.4)
        site.pause(chance.uniform(2, 6))
        site.road.delay_seconds = 0.0


def fill_disk(site: Site, chance: random.Random) -> None:
    """Fill the disk of a host to the last byte, and free it again."""
    filler = site.data_of(chance.choice(site.workers)) / "filler"
    with suppress(OSError), filler.open("wb") as file:
        while True:
            file.write(bytes(1 << 20))
            file.flush()
    site.pause(chance.uniform(1, FILL_SECONDS))
    filler.unlink()


def step_clock(site: Site, chance: random.Random) -> None:
    """Set the clock of a process's host forward or back, and leave it so; on SQLite that is the database's too."""
    site.clocks.step(site.host_of(chance.choice([*site.servers, *site.workers])), _wrong_by(chance))


def step_database_clock(site: Site, chance: random.Random) -> None:
    """Set the clock that leases go by forward or back, and leave it so."""
    seconds = _wrong_by(chance)
    site.clocks.step(DATABASE_HOST, seconds)
    if site.postgres:
        with psycopg.connect(site.postgres.url(), autocommit=True) as connection:
            asked = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
        if asked is None or abs(float(asked[0]) - time.time() - seconds) > CLOCK_TOLERANCE_SECONDS:
            raise RuntimeError(f"the database's clock was set {seconds} s wrong, and it says {asked}")


def _wrong_by(chance: random.Random) -> float:
    """Return seconds: a fraction of one, as after a correction, to an hour, as after a time zone's mistake."""
    return chance.choice([-1, 1]) * 10 ** chance.uniform(-0.5, 3.6)


def _has_clocks(site: Site) -> bool:
    return site.clocks.is_there


def _has_postgres(site: Site) -> bool:
    return site.postgres is not None


FAULTS = {
    "worker killed": Fault(kill_worker),
    "host lost past its leases": Fault(lose_host),
    "child killed": Fault(kill_child),
    "server killed": Fault(kill_server),
    "worker stopped in good order": Fault(restart_worker),
    "worker frozen past its leases": Fault(freeze_worker),
    "disk filled": Fault(fill_disk, Site.is_disk_small),
    "clock of a host stepped": Fault(step_clock, _has_clocks),
    "clock of the database stepped": Fault(step_database_clock, lambda site: _has_postgres(site) and _has_clocks(site)),
    "database restarted": Fault(restart_database, _has_postgres),
    "database hung": Fault(hang_database, _has_postgres),
    "connections cut": Fault(cut_connections, _has_postgres),
    "store slow": Fault(slow_store, _has_postgres),
}
