"""What ade doctor finds behind the addresses of the settings: ours, the OpenID provider's and the collector's."""

import socket
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from ade.cli.checks import Check
from ade.settings import Settings

SECONDS = 3.0
DEFAULT_PORTS = {"http": 80, "https": 443}
DISCOVERY = "/.well-known/openid-configuration"


def check_addresses(settings: Settings) -> Iterator[Check]:
    """Look at each address that is set; those that are not set need no check."""
    if settings.public_url:
        yield check_public_url(settings.public_url)
    if settings.auth_mode == "team" and settings.public_url and not settings.proxies:
        yield Check(
            "proxies",
            "warning",
            "ADE_TRUSTED_PROXIES is not set: behind a proxy, all requests have the proxy's address",
            "Set it to the proxy's address, so that limits on sign-in and the audit log use the caller's.",
        )
    if settings.oidc_issuer:
        yield check_issuer(settings.oidc_issuer)
    if settings.otlp_endpoint:
        yield check_collector(settings.otlp_endpoint)


def check_public_url(url: str) -> Check:
    """Return whether ADE answers where people are sent."""
    advice = "Check ADE_PUBLIC_URL, the proxy and its certificate. Before `ade serve` is started, ignore this."
    if fault := _malformed(url):
        return Check("public address", "failed", f"ADE_PUBLIC_URL: {fault}", "Write it as https://ade.example.org.")
    answer, fault = _fetch(f"{url.rstrip('/')}/healthz")
    if fault:
        return Check("public address", "warning", f"{_shown(url)}: {fault}", advice)
    if answer.get("status") != "ok":
        return Check("public address", "warning", f"{_shown(url)}: something other than ADE answers", advice)
    return Check("public address", "ok", f"{_shown(url)}, ADE {answer.get('version')}")


def check_issuer(url: str) -> Check:
    """Return whether people can sign in at the OpenID provider."""
    if fault := _malformed(url):
        return Check("sign-on", "failed", f"ADE_OIDC_ISSUER: {fault}", "Write it as https://login.example.org.")
    answer, fault = _fetch(f"{url.rstrip('/')}{DISCOVERY}")
    if fault:
        advice = "No one can sign in there. Check ADE_OIDC_ISSUER, and that this host may reach the provider."
        return Check("sign-on", "failed", f"{_shown(url)}: {fault}", advice)
    if answer.get("issuer") != url:
        found = f"{_shown(url)}: the provider calls itself {str(answer.get('issuer'))[:200]}"
        return Check("sign-on", "failed", found, "Set ADE_OIDC_ISSUER to exactly that name.")
    return Check("sign-on", "ok", _shown(url))


def check_collector(url: str) -> Check:
    """Return whether something listens where traces are sent."""
    if fault := _malformed(url):
        return Check("traces", "failed", f"ADE_OTLP_ENDPOINT: {fault}", "Write it as http://collector:4318.")
    if find_spec("opentelemetry") is None:
        advice = "Install ade-server[telemetry], or leave ADE_OTLP_ENDPOINT empty."
        return Check("traces", "failed", "the extra `telemetry` is not installed", advice)
    parts = urlsplit(url)
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    try:
        socket.create_connection((parts.hostname or "", port), SECONDS).close()
    except OSError as error:
        found = f"{_shown(url)}: nothing listens there ({error.strerror or error})"
        return Check("traces", "warning", found, "Traces are lost until it does; runs are not affected.")
    return Check("traces", "ok", _shown(url))


def _malformed(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_right = parts.scheme in DEFAULT_PORTS and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_right = False
    return "" if is_right else "no address that begins with http:// or https://"


def _fetch(url: str) -> tuple[dict[str, Any], str]:
    """Return the JSON object an address answers with, and what went wrong."""
    import httpx2

    try:
        answer = httpx2.get(url, timeout=SECONDS)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        return {}, f"no answer within {SECONDS:g} seconds" if _is_late(error) else f"no answer ({error})"
    if answer.status_code != 200:
        return {}, f"it answers {answer.status_code} under {urlsplit(url).path}"
    try:
        found = answer.json()
    except ValueError:
        found = None
    return (found, "") if isinstance(found, dict) else ({}, f"no JSON under {urlsplit(url).path}")


def _is_late(error: Exception) -> bool:
    import httpx2

    return isinstance(error, httpx2.TimeoutException)


def _shown(url: str) -> str:
    """Return an address without a user or a password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
