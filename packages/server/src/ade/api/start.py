"""What must be true and be there before the first request."""

import ipaddress

from ade.errors import InvalidSettings
from ade.operations.content.first_start import prepare_default_workspace
from ade.settings import Settings
from ade.system import System


def require_safe_address(settings: Settings) -> None:
    """Refuse to let strangers in: without a login, only this machine may reach the server."""
    if settings.auth_mode == "team" or is_loopback(settings.host):
        return
    raise InvalidSettings(
        f"ADE_HOST: {settings.host} can be reached from other machines, and local mode has no login. "
        "Set ADE_AUTH_MODE=team, or listen on 127.0.0.1."
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def prepare(system: System) -> None:
    """Make what a new deployment starts with."""
    prepare_default_workspace(system.database)
