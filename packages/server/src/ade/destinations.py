"""Addresses that others chose: which of them this server may connect to.

Webhooks and the network access of runs share these rules. The lists are those of the IANA registries of special-purpose
addresses, written out here: Python's `is_global` differs between its releases.
"""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress

_V4_REFUSED = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",  # this host
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carrier-grade NAT, and metadata of some clouds
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # metadata and agents of Azure, at a public address
            "169.254.0.0/16",  # link-local, metadata of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
# All that is routed on the public Internet. Loopback, link-local, unique local and multicast addresses lie outside it,
# and so do forms that carry an IPv4 address: mapped, compatible, translated and NAT64.
_V6_PUBLIC = ipaddress.IPv6Network("2000::/3")
_V6_REFUSED = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which carries an IPv4 address
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)


def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a name."""
    found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_outside(address: str) -> bool:
    """Return whether an address is public and belongs to another machine."""
    return is_public(address) and not is_own(address)


def is_public(address: str) -> bool:
    """Return whether an address is on the public Internet: no loopback, private network or metadata of a cloud."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv4Address):
        return not any(found in network for network in _V4_REFUSED)
    return found in _V6_PUBLIC and not any(found in network for network in _V6_REFUSED)


def is_own(address: str) -> bool:
    """Return whether this machine has the address: what it sends there, it sends from there. Nothing is sent."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:  # without a route it is not reached
        probe.connect((address, 9))
        return ipaddress.ip_address(probe.getsockname()[0]) == ipaddress.ip_address(address)
    return False
