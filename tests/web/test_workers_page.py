"""Who executes runs, and what their machines have left."""

import re
import shutil

import pytest
from playwright.sync_api import Page, expect

from postgres import wait_until
from web.server import Server

pytestmark = pytest.mark.slow


@pytest.mark.req("U1", "W6")
def test_a_worker_without_work_is_idle_and_shows_how_much_disk_is_free(page: Page, own_server: Server) -> None:
    def has_worker() -> bool:
        return bool(own_server.call("GET", "/workers")["items"])

    wait_until(has_worker, what="the worker to register", seconds=60)
    [worker] = own_server.call("GET", "/workers")["items"]
    page.goto(f"{own_server.url}/workers")
    card = page.get_by_role("region", name=re.compile("^Worker "))
    expect(card.get_by_text("Idle", exact=True)).to_be_visible()
    expect(card.get_by_role("definition").filter(has_text=re.compile(r"^\d+(\.\d)? [GT]B$"))).to_be_visible()
    health = page.get_by_role("region", name="Health")
    expect(health.get_by_text(re.compile(rf"^\d+(\.\d)? [GT]B free on {worker['host']}$"))).to_be_visible()
    assert 0 < worker["details"]["free_disk_mb"] <= shutil.disk_usage("/").total // 2**20
