"""What Prometheus reads: clean by its linter, complete while empty, and counters that never grow smaller."""

import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade.database.maintenance import retention
from ade.database.schema import runs
from ade.database.transaction import Database
from ade.domain.access import Role, Scope
from ade.domain.build import BuildStatus
from ade.domain.isolation import Isolation
from ade.domain.priority import Priority
from ade.domain.run import FINISHED, Block, RunStatus
from ade.errors import InvalidSettings
from ade.settings import load_settings
from ade.system import System
from api.conftest import Place, furnish, make_system, open_client, submit
from api.people import add_person
from api.prometheus import read, troubles, values
from repeatable import FakeClock
from scene import Scene

pytestmark = pytest.mark.req("A4")
TOKEN = "a-token-for-scrapes"


@pytest.fixture
def scene(database_url: str, clock: FakeClock) -> Iterator[Scene]:
    opened = Scene(database_url, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def monitored(scene: Scene, tmp_path: Path) -> Iterator[TestClient]:
    """Yield a client of a server on the scene's database."""
    with open_client(make_system(scene.database, tmp_path)) as opened:
        yield opened


@pytest.fixture
def team(database: Database, tmp_path: Path) -> System:
    return make_system(
        database, tmp_path, auth_mode="team", metrics_token=TOKEN, allowed_hosts="ade.example.org", queue_size=2
    )


def metrics(client: TestClient, **headers: str) -> str:
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text


def play(scene: Scene) -> None:
    """Let a bit of everything happen: success, failure, a lost worker, a run that waits."""
    scene.submit_many(3)
    scene.succeed(scene.claim_one())
    scene.fail(scene.claim_one())
    scene.claim_one()
    scene.advance(timedelta(minutes=5))
    scene.upkeep()


def test_prometheus_finds_nothing_to_say_about_the_metrics(scene: Scene, monitored: TestClient) -> None:
    play(scene)
    monitored.get("/api/v1/runs")
    text = metrics(monitored)

    assert list(troubles(text)) == []
    if tool := shutil.which("promtool"):
        checked = subprocess.run([tool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_the_rules_of_the_linter_see_what_is_wrong() -> None:
    text = '# TYPE ade_wait_ms gauge\nade_wait_ms{quantile="0.5"} 1\n# HELP ade_x X.\n# TYPE ade_x counter\nade_x 1\n'

    assert sorted(troubles(text)) == [
        "ade_wait_ms: no help text",
        "ade_wait_ms: non-summary metrics should not have the label quantile",
        "ade_wait_ms: should use base units",
        "ade_x_total: no help text",
    ]


def test_an_empty_deployment_has_every_known_label_value_at_zero(monitored: TestClient) -> None:
    found = values(metrics(monitored))
    levels = [str(int(level)) for level in Priority]
    reasons = ["ready", *(str(block.name).lower() for block in Block)]

    expected = [
        *(f'ade_queue_depth{{priority="{level}",reason="{reason}"}}' for level, reason in product(levels, reasons)),
        *(f'ade_runs{{status="{status}"}}' for status in RunStatus),
        *(f'ade_runs_finished_total{{status="{status}"}}' for status in FINISHED),
        *(f'ade_builds{{status="{status}"}}' for status in BuildStatus),
        *(f'ade_runs_isolation{{isolation="{level}"}}' for level in Isolation),
        *(f'ade_rejections_total{{priority="{level}"}}' for level in levels),
        *(f'ade_recoveries_total{{kind="{kind}"}}' for kind in ("run", "build")),
        *(f'ade_builds_finished_total{{status="{status}"}}' for status in ("ready", "failed")),
        "ade_runs_submitted_total",
        "ade_builds_requested_total",
        "ade_workers",
        'ade_http_requests_total{method="POST",route="/api/v1/session",status="5xx"}',
    ]
    assert {name: found.get(name) for name in expected} == dict.fromkeys(expected, 0.0)
    assert 'ade_run_wait_seconds{percentile="99",priority="50"}' in found


def test_what_happens_is_counted(scene: Scene, monitored: TestClient) -> None:
    play(scene)
    found = values(metrics(monitored))

    assert found["ade_runs_submitted_total"] == 3
    assert found['ade_runs_finished_total{status="succeeded"}'] == 1
    assert found['ade_runs_finished_total{status="failed"}'] == 1
    assert found['ade_recoveries_total{kind="run"}'] == 1
    assert found['ade_runs{status="queued"}'] == 1
    assert found['ade_run_wait_seconds{percentile="50",priority="50"}'] == 0


@pytest.mark.req("W6")
def test_counters_do_not_fall_when_retention_removes_what_they_counted(scene: Scene, monitored: TestClient) -> None:
    play(scene)
    scene.succeed(scene.claim_one())
    before = metrics(monitored)
    run_ids = [row.id for row in scene.read(sa.select(runs.c.id))]

    scene.write(lambda tx: retention.forget_runs(tx, run_ids))
    after = values(metrics(monitored))

    counters = [name for name, family in read(before).items() if family.type == "counter"]
    assert {"ade_recoveries_total", "ade_runs_finished_total"} <= set(counters)
    fallen = {
        line: (number, after[line])
        for line, number in values(before).items()
        if line.partition("{")[0] in counters and after[line] < number
    }
    assert fallen == {}
    assert not any(scene.events(run_id) for run_id in run_ids), "nothing was removed, so nothing was proved"


def test_a_new_build_without_a_new_run_lowers_no_counter(scene: Scene, monitored: TestClient) -> None:
    scene.submit_many(2)
    before = values(metrics(monitored))
    scene.new_build()
    after = values(metrics(monitored))

    assert [line for line in before if "_total" in line and after[line] < before[line]] == []


def test_requests_are_counted_by_route_and_class_never_by_what_was_sent(client: TestClient, place: Place) -> None:
    submit(client, place)
    for path in ("/api/v1/runs/nothing-such", "/api/v1/no-route", "/wp-admin.php"):
        client.get(path)
    client.request("BREW", "/healthz")
    text = metrics(client)
    found = values(text)

    submitted = 'method="POST",route="/api/v1/configurations/{configuration_id}/runs"'
    assert found[f'ade_http_requests_total{{{submitted},status="2xx"}}'] == 1
    assert found[f"ade_http_request_duration_seconds_count{{{submitted}}}"] == 1
    assert found[f'ade_http_request_duration_seconds_bucket{{le="+Inf",{submitted}}}'] == 1
    assert found['ade_http_requests_total{method="GET",route="/api/v1/runs/{run_id}",status="4xx"}'] == 1
    assert found['ade_http_requests_total{method="other",route="none",status="4xx"}'] == 1
    for sent in (place.configuration_id, "nothing-such", "wp-admin", "BREW"):
        assert sent not in text


def test_a_request_that_crashes_is_counted_as_an_error(system: System) -> None:
    with open_client(system) as client:
        client.app.state.system = None  # type: ignore[attr-defined]
        assert client.get("/readyz").status_code == 500
        counted = list(client.app.state.http_figures.families())  # type: ignore[attr-defined]

    errors = {tuple(one.labels.values()): one.value for one in counted[0].samples if one.labels["status"] == "5xx"}
    assert errors["GET", "/readyz", "5xx"] == 1


@pytest.mark.req("S7")
def test_in_team_mode_monitors_read_metrics_with_a_token_that_opens_nothing_else(team: System) -> None:
    with open_client(team) as client:
        token = {"Authorization": f"Bearer {TOKEN}"}
        statuses = {path: client.get(path, headers=token).status_code for path in ("/metrics", "/api/v1/runs")}
        wrong = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}x"}).status_code

    assert statuses == {"/metrics": 200, "/api/v1/runs": 401}
    assert wrong == 401


@pytest.mark.req("S7")
def test_in_team_mode_metrics_are_for_administrators_and_a_key_to_read_is_enough(team: System) -> None:
    place = furnish(team)
    reader = add_person(team, is_admin=True, scope=Scope.READ)
    member = add_person(team, workspace_id=place.workspace_id, role=Role.ADMIN)

    with open_client(team) as client:
        assert client.get("/metrics", headers=reader.headers).status_code == 200
        assert client.get("/metrics", headers=member.headers).status_code == 403
        assert client.get("/metrics").status_code == 401


def test_a_scrape_by_address_is_answered_where_names_are_limited(team: System) -> None:
    with open_client(team) as client:
        by_address = {"Host": "10.1.2.3:8000", "Authorization": f"Bearer {TOKEN}"}
        assert client.get("/metrics", headers=by_address).status_code == 200
        assert client.get("/api/v1/runs", headers=by_address).status_code == 421


@pytest.mark.req("S7")
def test_in_local_mode_a_page_under_another_name_cannot_read_metrics(client: TestClient) -> None:
    assert client.get("/metrics", headers={"Host": "evil.example.org"}).status_code == 421


@pytest.mark.req("S7")
def test_the_token_is_shown_nowhere_and_a_short_one_is_refused(team: System) -> None:
    admin = add_person(team, is_admin=True)
    with open_client(team) as client:
        assert TOKEN not in client.get("/api/v1/settings", headers={**admin.headers, "Host": "ade.example.org"}).text
    with pytest.raises(InvalidSettings, match="ADE_METRICS_TOKEN") as refused:
        load_settings(metrics_token="too-short")
    assert "too-short" not in str(refused.value)
