"""Which database this is, and which workers use it."""

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.engine import URL

from ade.database.schema import workers
from ade.database.transaction import Transaction

_PRODUCTS = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mssql": "SQL Server"}
_VERSION = {
    "sqlite": "SELECT 'SQLite ' || sqlite_version()",
    "postgresql": "SELECT 'PostgreSQL ' || current_setting('server_version')",
    "mssql": "SELECT CONCAT('SQL Server ', CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(64)))",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerCounts:
    """How many workers are at work, and how many went silent."""

    live_count: int
    silent_count: int


def name_of(url: URL) -> str:
    """Return which database an address is of, for people: no user, no password, no options."""
    product = _PRODUCTS[url.get_backend_name()]
    if product == "SQLite":
        return f"{product} {url.database or 'in memory'}"
    host = url.host or url.query.get("host") or "localhost"  # a socket's folder is an option
    port = f":{url.port}" if url.port else ""
    return f"{product} {host if isinstance(host, str) else host[0]}{port}/{url.database or ''}"


def silent_workers(tx: Transaction, *, silent_after: timedelta, most: int) -> tuple[str, ...]:
    """Return as "name on host" the workers that did not stop and were not heard of lately, the latest first."""
    silent = (workers.c.stopped_at.is_(None), workers.c.heartbeat_at < tx.now - silent_after)
    latest = (workers.c.heartbeat_at.desc(), workers.c.id)
    found = sa.select(workers.c.name, workers.c.host).where(*silent).order_by(*latest).limit(most)
    return tuple(f"{row.name} on {row.host}" for row in tx.execute(found))


def product(tx: Transaction) -> str:
    """Return the database's name and version."""
    return str(tx.execute(sa.text(_VERSION[tx.dialect])).scalar_one())


def worker_counts(tx: Transaction, *, silent_after: timedelta) -> WorkerCounts:
    """Count the workers that did not stop, by whether they were heard of lately."""
    heard = sa.case((workers.c.heartbeat_at >= tx.now - silent_after, 1), else_=0)
    started = sa.select(sa.func.count().label("total"), sa.func.coalesce(sa.func.sum(heard), 0).label("live")).where(
        workers.c.stopped_at.is_(None)
    )
    counted = tx.execute(started).one()
    return WorkerCounts(live_count=counted.live, silent_count=counted.total - counted.live)
