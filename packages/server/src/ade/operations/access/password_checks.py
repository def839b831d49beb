"""Checks passwords: a few at once, so that many tries take neither the memory, the threads nor the processors."""

import base64
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from ade.errors import TooManyTries

AT_ONCE = 4  # each takes 64 MB
MOST_IN_LINE = 12  # each holds one of the server's threads
MOST_FROM_SITE = 4
PREFIX_OF_ONE_HOST = 64  # the addresses of an IPv6 host: it may choose among 2**64 of them
PREFIX_OF_ONE_SITE = 48  # what a provider gives to one customer at most
BUSY = "Too many passwords are being checked. Try again in a few seconds."
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
    return _network(address, PREFIX_OF_ONE_HOST)


def site_of(network: str) -> str:
    """Return what places in the line are counted by: an address, or for IPv6 the network of one customer."""
    return _network(network.partition("/")[0], PREFIX_OF_ONE_SITE)


def _network(address: str, prefix: int) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, prefix), strict=False))


@dataclass(slots=True, eq=False)
class _Waiting:
    """Someone whose password is being checked, or waits for it."""

    site: str
    is_suspect: bool
    is_checked: bool = False
    is_displaced: bool = False


class Line:
    """Those whose password is being checked, or waits for it; or who sign in at a provider.

    Networks that many wrong tries came from make room for others when the line is full.
    """

    def __init__(self, *, at_once: int = AT_ONCE, most: int = MOST_IN_LINE, busy: str = BUSY) -> None:
        self._at_once, self._most, self._busy = at_once, most, busy
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def turn(self, network: str, *, is_suspect: bool = False) -> Iterator[None]:
        """Wait for a check; raise TooManyTries where too many wait, of all or of one site."""
        one = _Waiting(site_of(network), is_suspect)
        with self._changed:
            self._admit(one)
            self._waiting.append(one)
        try:
            self._await_check(one)
            yield
        finally:
            with self._changed:
                self._waiting.remove(one)
                self._changed.notify_all()

    def _admit(self, one: _Waiting) -> None:
        most = 1 if one.is_suspect else MOST_FROM_SITE
        if sum(other.site == one.site for other in self._waiting) >= most:
            raise TooManyTries(self._busy)
        if len(self._waiting) < self._most:
            return
        suspects = [other for other in self._waiting if other.is_suspect and not other.is_checked]
        if one.is_suspect or not suspects:
            raise TooManyTries(self._busy)
        suspects[-1].is_displaced = True
        self._changed.notify_all()

    def _await_check(self, one: _Waiting) -> None:
        with self._changed:
            self._changed.wait_for(lambda: one.is_displaced or self._checks() < self._at_once)
            if one.is_displaced:
                raise TooManyTries(self._busy)
            one.is_checked = True

    def _checks(self) -> int:
        return sum(other.is_checked for other in self._waiting)


_line = Line()


def is_right(password: str, password_hash: str | None, *, network: str, is_suspect: bool) -> bool:
    """Return whether a password is that of a hash; None takes as long, and never is.

    A network that many wrong tries came from gets one check at a time: a right password still passes.
    """
    with _line.turn(network, is_suspect=is_suspect):
        try:
            _hasher.verify(password_hash or HASH_OF_NOBODY, password)
        except (VerificationError, InvalidHashError):
            return False
    return password_hash is not None
