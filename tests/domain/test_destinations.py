"""Addresses others chose are connected to only on the public Internet, and never on this machine."""

import ipaddress
import socket

import pytest

from ade.destinations import is_outside, is_own, is_public

pytestmark = pytest.mark.req("S3", "S7")

# Every block of the IANA registries of special-purpose addresses, and the metadata services of clouds.
REFUSED = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "233.252.0.0/24", "240.0.0.0/4",
    "255.255.255.255/32", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32",
    "::/128", "::1/128", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
    "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128", "2001:2::/48", "2001:10::/28", "2001:20::/28",
    "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7",
    "fd00:ec2::254/128", "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip
PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.215.14", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0",
    "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450::1", "2400:cb00::1",
]  # fmt: skip


@pytest.mark.parametrize("network", REFUSED)
def test_no_address_of_a_special_block_is_public(network: str) -> None:
    block = ipaddress.ip_network(network)

    for address in (block[0], block[-1], block[block.num_addresses // 2]):
        assert not is_public(str(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_routed_on_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "8.8.8.8"])
@pytest.mark.parametrize("prefix", ["::ffff:", "::", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"])
def test_no_form_of_version_6_carries_an_address_of_version_4(prefix: str, inner: str) -> None:
    assert not is_public(prefix + inner)


def test_a_scope_does_not_hide_an_address() -> None:
    assert not is_public("fe80::1%eth0")
    assert not is_public("::1%1")


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_an_address_of_this_machine_is_its_own(address: str) -> None:
    if ":" in address and not socket.has_ipv6:
        pytest.skip("no version 6 here")
    assert is_own(address)
    assert not is_outside(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700::1111"])
def test_an_address_of_another_machine_is_outside(address: str) -> None:
    assert not is_own(address)
    assert is_outside(address)
