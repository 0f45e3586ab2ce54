"""Where webhooks may go.

An address is somebody's words, and the service may reach what its author may not: other services
on this machine, metadata of the cloud. So names are resolved here, every address is checked, and
the request goes to the address that was checked.
"""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Self

import httpx2

from agentlog.infrastructure.subscriptions.subscription import InvalidSubscription

_PLACE = "webhook.url"
_MOST_LENGTH = 2048
_MOST_PORT = 65_535
_NAT64 = ip_network("64:ff9b::/96")
_UNICAST = ip_network("2000::/3")
"""All that is public of IPv6 (IANA's registry of its address space)."""
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # of protocols; 192.0.0.192 is the metadata of Oracle's cloud
            "192.88.99.0/24",  # relays of 6to4
            "168.63.129.16/32",  # Azure's host
            "2001::/23",  # of protocols
            "3fff::/20",  # of documents; later Pythons know it
        ),
    )
)
"""What Python takes as global beside what is."""
_SETTING = "AGENTLOG_WEBHOOK_NETWORKS"

Address = IPv4Address | IPv6Address


class AddressRefused(InvalidSubscription):
    """A webhook would go to where it may not."""

    def __init__(self, reason: str) -> None:
        super().__init__(_PLACE, reason)


@dataclass(frozen=True, slots=True)
class Addresses:
    """The private networks that webhooks may go to, beside all public addresses."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the networks that a setting names, with commas between them."""
        return cls(tuple(ip_network(part.strip()) for part in text.split(",") if part.strip()))

    def resolve(self, url: str) -> list[Address]:
        """Return the addresses of a URL's host, each of them allowed.

        Raises:
            AddressRefused: it is no such URL, is not resolved, or one of them is not allowed.
        """
        parsed = parsed_url(url)
        port = parsed.port or (443 if parsed.scheme == "https" else 80)
        try:
            rows = socket.getaddrinfo(
                parsed.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM
            )
        except (OSError, UnicodeError) as error:
            raise AddressRefused("its host has no address: check the name") from error
        addresses = [ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
        for address in addresses:
            self._check(address, secure=parsed.scheme == "https")
        return addresses

    def _check(self, address: Address, *, secure: bool) -> None:
        if any(address in network for network in self.networks):
            return
        if not all(map(_is_public, _meant_by(address))):
            raise AddressRefused(
                "its host is on this machine or in a private network: if deliveries may go there, "
                f"name the network in {_SETTING}"
            )
        if not secure:
            raise AddressRefused(
                "http:// is sent in the clear: use https://, or name a network of yours in "
                f"{_SETTING}"
            )


PUBLIC = Addresses()
"""No private network."""


def parsed_url(url: str) -> httpx2.URL:
    """Return a webhook's URL; raises `AddressRefused` where it is none."""
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, TypeError) as error:
        raise AddressRefused("send a URL as https://example.com/hook") from error
    if len(url) > _MOST_LENGTH or parsed.scheme not in {"http", "https"} or not parsed.host:
        raise AddressRefused(
            f"send a URL as https://example.com/hook, of at most {_MOST_LENGTH} characters"
        )
    if parsed.userinfo or parsed.fragment:
        raise AddressRefused("leave user, password and fragment out: the signature says who sends")
    if parsed.port is not None and not 0 < parsed.port <= _MOST_PORT:
        raise AddressRefused(f"its port is none: use 1 to {_MOST_PORT}")
    return parsed


def _meant_by(address: Address) -> Sequence[Address]:
    """Return an address, and the IPv4 addresses that it stands for."""
    if isinstance(address, IPv4Address):
        return [address]
    meant = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        meant.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    # a mapped address is public as the one that it stands for
    itself = [] if address.ipv4_mapped or address in _NAT64 else [address]
    return [*itself, *(inner for inner in meant if inner is not None)]


def _is_public(address: Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and (address.version == 4 or address in _UNICAST)  # noqa: PLR2004 - of IP
        and not any(address in network for network in _NOT_PUBLIC)
    )
