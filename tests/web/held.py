"""Requests that wait until a test lets them go."""

import re

from playwright.sync_api import Page, Route


class Held:
    """Holds requests back until they are let go: a server far away, whose answers come after the second click."""

    def __init__(self, page: Page, address: str) -> None:
        self._waiting: list[Route] = []
        self._page = page
        self._address = re.compile(address)
        page.route(self._address, self._arrive)

    def let_go(self) -> None:
        """Send on what was held back; what comes goes its own way."""
        for route in self._waiting:
            route.continue_()
        self._page.unroute(self._address)

    def _arrive(self, route: Route) -> None:
        self._waiting.append(route)
