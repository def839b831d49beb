"""Messages about finished runs to other servers: when they are sent again, and how they are signed."""

import base64
import hashlib
import hmac
import secrets
from datetime import timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from ade.errors import Invalid

SECRET_PREFIX = "whsec_"  # noqa: S105 - the mark of a secret, not one
LONGEST_URL = 1000
# After each failure the next try waits this long; after the last there is none.
WAITS = tuple(
    timedelta(seconds=seconds) for seconds in (10, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 12 * 3600, 24 * 3600)
)


class DeliveryStatus(StrEnum):
    """How far a message got."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


def wait_before_next(attempt_count: int) -> timedelta | None:
    """Return how long to wait after this many failures, or None when it is time to give up."""
    return WAITS[attempt_count - 1] if attempt_count <= len(WAITS) else None


def new_secret() -> str:
    """Return a new secret to sign with."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def sign(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message, as the Standard Webhooks specification has it."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def checked_url(url: str) -> str:
    """Return an address messages can be sent to; raise Invalid for what is none."""
    try:
        parts = urlsplit(url)
        is_usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        raise Invalid(f"{url[:80]!r} is not an address.") from None
    if parts.scheme not in {"http", "https"} or not is_usable:
        raise Invalid("A webhook needs an address such as https://example.org/ade.")
    if (
        parts.username is not None
        or parts.fragment
        or len(url) > LONGEST_URL
        or not (url.isascii() and url.isprintable())
    ):
        raise Invalid("The address of a webhook must have no user name and no fragment, and must be plain ASCII.")
    return url
