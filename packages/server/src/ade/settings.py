"""Every knob: an ADE_* variable, checked once at start, all errors at once and in words.

A secret can be given as a file instead: ADE_DATABASE_URL_FILE=/run/secrets/url.
"""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from ade.errors import InvalidSettings

PREFIX = "ADE_"
MOST_DAYS = 36_500  # a century: so far back from today there is a calendar to count in
MOST_SECONDS = MOST_DAYS * 24 * 3600
# Variables that belong to the launcher, the client, the tests or the benchmarks, not to the server.
FOREIGN = {
    "ADE_PYTHON",
    "ADE_ENVIRONMENTS",
    "ADE_CORPUS",
    "ADE_SKIP_UI",
    "ADE_REQUIRE_BROWSER",
    "ADE_URL",
    "ADE_API_KEY",
    "ADE_NEW_PASSWORD",
}
FOREIGN_PREFIX = "ADE_TEST_"
SHORTEST_TOKEN = 16
SECRET = frozenset({"database_url", "files_url", "oidc_client_secret", "metrics_token"})  # never shown


def _known_database(url: str) -> str:
    scheme = url.partition(":")[0].partition("+")[0]
    if url and scheme not in {"sqlite", "postgresql", "mssql"}:
        raise ValueError("must start with sqlite:///, postgresql:// or mssql+mssqlpython://")
    return url


def _known_group_roles(text: str) -> str:
    for pair in filter(None, (part.strip() for part in text.split(","))):
        group, _, given = pair.partition("=")
        role = given.rpartition(":")[2].strip()
        if (
            not group.strip()
            or role not in {"viewer", "operator", "author", "admin"}
            or (":" not in given and role != "admin")
        ):
            raise ValueError(
                "must be pairs such as staff=default:operator (a workspace's slug and a role) or chiefs=admin"
            )
    return text


def _known_addresses(text: str) -> str:
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            ip_network(part)
        except ValueError:
            raise ValueError(
                "must be addresses or networks, such as 10.0.0.7 or 10.0.0.0/8; with a name or *, any client could "
                "claim any address"
            ) from None
    return text


def _long_enough(token: str) -> str:
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise ValueError(f"must be at least {SHORTEST_TOKEN} letters, digits and signs without a blank")
    return token


class Settings(BaseSettings):
    """What the operator decides."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True)

    data_dir: Path = Field(Path("data"), description="Folder for the SQLite database, uploads, builds and run folders.")
    database_url: Annotated[str, AfterValidator(_known_database)] = Field(
        "", description="SQLAlchemy address of the database. Empty: SQLite in ADE_DATA_DIR."
    )
    files_url: str = Field(
        "", description="Shared file store of all hosts: s3://bucket/prefix, file:///folder. Empty: ADE_DATA_DIR/files."
    )
    host: str = Field("127.0.0.1", description="Address the API listens on.")
    port: int = Field(8000, ge=1, le=65535, description="Port the API listens on.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least severe log event shown.")
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="Log lines: json, or columns for people."
    )
    otlp_endpoint: str = Field(
        "", description="Address for traces by OTLP over HTTP, such as http://collector:4318. Empty: none are sent."
    )

    auth_mode: Literal["local", "team"] = Field(
        "local", description="local: one user, no login, loopback only. team: users, roles and API keys."
    )
    allowed_hosts: str = Field(
        "", description="Host names, separated by commas, under which the API answers in addition to loopback."
    )
    trusted_proxies: Annotated[str, AfterValidator(_known_addresses)] = Field(
        "",
        description="Addresses or networks of the proxies before the API, separated by commas, such as 10.0.0.0/8: "
        "their X-Forwarded-For and X-Forwarded-Proto are trusted. Empty: no address is.",
    )
    metrics_token: Annotated[str, AfterValidator(_long_enough)] = Field(
        "", description="Token that can only read /metrics, in team mode; 16 characters or more. Empty: none."
    )
    session_hours: float = Field(24 * 7, gt=0, le=24 * MOST_DAYS, description="How long a sign-in lasts.")
    public_url: str = Field("", description="Public address of the API, such as https://ade.example.org.")
    oidc_issuer: str = Field(
        "", description="OpenID provider for signing in, in team mode (needs the extra `oidc`). Empty: none."
    )
    oidc_client_id: str = Field("", description="Client id at the provider.")
    oidc_client_secret: str = Field("", description="Client secret. Empty: a public client, with PKCE only.")
    oidc_scopes: str = Field("openid email profile", description="Scopes that are requested from the provider.")
    oidc_groups_claim: str = Field("groups", description="The provider's claim with the groups of a user.")
    oidc_group_roles: Annotated[str, AfterValidator(_known_group_roles)] = Field(
        "", description="Roles by group, such as staff=default:operator, chiefs=admin. Empty: roles are given by hand."
    )
    webhook_hosts: str = Field(
        "",
        description="Hosts in our own networks, separated by commas, to which webhooks may go. Others are refused.",
    )
    max_upload_mb: int = Field(100, ge=1, description="Largest document that can be uploaded.")
    max_unpacked_mb: int = Field(4096, ge=1, description="Largest size of an unpacked document.")
    max_request_mb: int = Field(512, ge=1, description="Largest size of one request with all its files.")

    max_concurrency: int = Field(2, ge=1, le=1024, description="Runs one worker process executes at once.")
    queue_size: int = Field(
        10_000,
        ge=1,
        description="Runs that may wait or run at once; beyond it a submission gets 429. "
        "Its last tenth is for workspaces that have less than that in it.",
    )
    max_running: int = Field(0, ge=0, description="Runs executing at once in the whole deployment. 0: no limit.")
    max_starts_per_second: float = Field(
        0, ge=0, description="Runs and builds started within any second in the whole deployment. 0: no limit."
    )
    lease_seconds: float = Field(15, ge=1, le=3600, description="How long a claim holds without a heartbeat.")
    tick_seconds: float = Field(1, ge=0.05, le=60, description="How often an idle worker looks for runs and upkeep.")
    run_timeout_seconds: float = Field(300, ge=1, le=MOST_SECONDS, description="Longest time for a run.")
    build_timeout_seconds: float = Field(600, ge=1, le=MOST_SECONDS, description="Longest time for a build.")
    run_max_claims: int = Field(
        3, ge=1, le=100, description="Claims of a run after which the death of a worker fails it. 1: at once."
    )
    priority_age_after_seconds: float = Field(
        3600, ge=1, le=MOST_SECONDS, description="Time after which a waiting run moves up one priority level."
    )

    shutdown_grace_seconds: float = Field(
        30, ge=0, le=MOST_SECONDS, description="How long a stopping worker lets runs finish before it returns them."
    )
    worker_cpu_seconds: int = Field(60, ge=1, description="CPU time one run may use.")
    worker_mem_mb: int = Field(512, ge=64, description="Memory one run may use.")
    memory_budget_mb: int = Field(
        0, ge=0, description="Memory that the runs of one worker may use together. 0: that of all its slots."
    )
    cpu_budget: float = Field(
        0, ge=0, description="Processors the runs of one worker may declare together. 0: those of the machine."
    )
    build_cpu_seconds: int = Field(
        300, ge=1, description="CPU time a build may use to install packages, and again to import the rules."
    )
    build_mem_mb: int = Field(
        1024, ge=64, description="Memory a build may use to install packages, and again to import the rules."
    )
    build_disk_mb: int = Field(
        2048,
        ge=1,
        description="Disk the packages of one build may take, with those its configuration has in the cache.",
    )
    worker_fsize_mb: int = Field(100, ge=1, description="Largest file one run may write.")
    runtime_network_access: Literal["never", "ask", "always"] = Field(
        "never",
        description="Runs that can reach public addresses: none, those for which an author or admin asks, or all.",
    )
    min_isolation: Literal["", "open", "limits", "guarded", "confined", "isolated"] = Field(
        "", description="Weakest isolation a run may start under. Empty: confined on Linux, limits elsewhere."
    )
    child_start: Literal["zygote", "spawn"] = Field(
        "zygote",
        description="How the process of a run starts: forked from one that has the engine loaded, or on its own, which "
        "is slower and shares no memory with other runs. Outside Linux always spawn.",
    )
    wheelhouse: Path | None = Field(
        None, description="Folder of wheels from which builds install, without a package index."
    )
    min_free_disk_mb: int = Field(
        512,
        ge=0,
        description="Free disk below which no run starts, no document is received, and a run that may have filled it "
        "ends. Below four times that, the rest is reserved for workspaces that hold no more than this.",
    )

    retention_run_days: float = Field(
        0, ge=0, le=MOST_DAYS, description="Days for which the files and events of a finished run are kept. 0: forever."
    )
    retention_failed_run_days: float = Field(
        0, ge=0, le=MOST_DAYS, description="The same for runs that failed or were cancelled. 0: as the others."
    )
    retention_runs_mb: int = Field(
        0, ge=0, description="Disk space for the files of finished runs; beyond it the oldest are removed. 0: no limit."
    )
    retention_document_days: float = Field(
        0, ge=0, le=MOST_DAYS, description="Days after which a document that no run uses is deleted. 0: never."
    )
    retention_deleted_document_days: float = Field(
        30, ge=0, le=MOST_DAYS, description="Days after which the content of a deleted document is removed. 0: never."
    )
    retention_build_days: float = Field(
        30,
        ge=0,
        le=MOST_DAYS,
        description="Days after which a build that no run uses is removed; it is made again when needed. 0: never.",
    )
    retention_every_seconds: float = Field(
        3600, gt=0, le=MOST_SECONDS, description="How often a worker looks for files to remove."
    )

    @property
    def proxies(self) -> list[str]:
        """Return the proxies whose word on the caller's address is believed."""
        return [part.strip() for part in self.trusted_proxies.split(",") if part.strip()]

    @property
    def files_folder(self) -> Path:
        """Return the folder for files when there is no object store."""
        return self.data_dir.absolute() / "files"

    @property
    def resolved_database_url(self) -> str:
        """Return the database's address, with the default filled in."""
        return self.database_url or f"sqlite:///{self.data_dir.absolute() / 'ade.db'}"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the shape pydantic-settings calls
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let arguments win over variables, and variables over files."""
        return init_settings, env_settings, _FromFiles(settings_cls)


class _FromFiles(PydanticBaseSettingsSource):
    """Reads ADE_X from the file that ADE_X_FILE names."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002
        path = os.environ.get(f"{PREFIX}{field_name.upper()}_FILE")
        if not path:
            return None, field_name, False
        try:
            return Path(path).read_text().strip(), field_name, False
        except OSError as error:
            raise InvalidSettings(f"{PREFIX}{field_name.upper()}_FILE: cannot read {path}: {error.strerror}") from None

    def __call__(self) -> dict[str, Any]:
        found = {name: self.get_field_value(field, name)[0] for name, field in self.settings_cls.model_fields.items()}
        return {name: value for name, value in found.items() if value is not None}


def load_settings(**overrides: Any) -> Settings:
    """Read the settings, or raise InvalidSettings that names every wrong one."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise InvalidSettings("\n".join(_in_words(error))) from None


def unknown_settings(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each ADE_* variable that nothing reads: most are typing errors."""
    known = {f"{PREFIX}{name.upper()}{suffix}" for name in Settings.model_fields for suffix in ("", "_FILE")} | FOREIGN
    strangers = (name for name in environment if name.startswith(PREFIX) and not name.startswith(FOREIGN_PREFIX))
    return [f"{name}: no such setting{_nearest(name, known)}" for name in sorted(strangers) if name not in known]


def _in_words(error: ValidationError) -> list[str]:
    return [f"{PREFIX}{'.'.join(map(str, item['loc'])).upper()}: {_explain(item)}" for item in error.errors()]


def _explain(item: Any) -> str:
    reason = str(item["msg"]).removeprefix("Value error, ")
    is_secret = bool(SECRET & {str(part) for part in item["loc"]})
    return reason if is_secret else f"{reason[0].lower()}{reason[1:]} (it is {item['input']!r})"


def _nearest(name: str, known: set[str]) -> str:
    close = get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""
