"""Checks passwords: a few at once, so that many tries take neither the memory, the threads nor the processors."""

import base64
import secrets
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from ade.errors import TooManyTries

AT_ONCE = 4  # each takes 64 MB
MOST_IN_LINE = 12  # each holds one of the server's threads
MOST_FROM_ADDRESS = 4
PREFIX_OF_ONE_HOST = 64  # the addresses of an IPv6 host: it may choose among 2**64 of them
_hasher = PasswordHasher()  # argon2id, with the library's present recommendation


def _hash_of_nobody() -> str:
    """Return a hash no password has: checked for an unknown address, so that it takes as long as a wrong password.

    It is put together and not calculated: that would take a tenth of the time every server needs to start.
    """
    cost = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    salt, hashed = (
        base64.b64encode(secrets.token_bytes(size)).decode().rstrip("=")
        for size in (_hasher.salt_len, _hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${cost}${salt}${hashed}"


HASH_OF_NOBODY = _hash_of_nobody()


def hash_password(password: str) -> str:
    """Return a password as it is kept."""
    return _hasher.hash(password)


def network_of(address: str) -> str:
    """Return what tries are counted by: an address, or for IPv6 the network of one host."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, PREFIX_OF_ONE_HOST), strict=False))


class Line:
    """Those whose password is being checked, or waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._checks = threading.BoundedSemaphore(AT_ONCE)
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def turn(self, network: str, *, most: int) -> Iterator[None]:
        """Wait for a check; raise TooManyTries at once where too many wait, of all or of one network."""
        with self._lock:
            if self._waiting[network] >= most or self._waiting.total() >= MOST_IN_LINE:
                raise TooManyTries("Too many passwords are being checked. Try again in a few seconds.")
            self._waiting[network] += 1
        try:
            with self._checks:
                yield
        finally:
            with self._lock:
                self._waiting[network] -= 1
                if not self._waiting[network]:
                    del self._waiting[network]


_line = Line()


def is_right(password: str, password_hash: str | None, *, network: str, is_suspect: bool) -> bool:
    """Tell whether a password is that of a hash; None takes as long, and never is.

    A network that many wrong tries came from gets one check at a time: a right password still passes.
    """
    with _line.turn(network, most=1 if is_suspect else MOST_FROM_ADDRESS):
        try:
            _hasher.verify(password_hash or HASH_OF_NOBODY, password)
        except (VerificationError, InvalidHashError):
            return False
    return password_hash is not None
