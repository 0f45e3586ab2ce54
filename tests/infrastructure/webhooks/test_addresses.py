"""Webhooks go to public addresses over TLS, and elsewhere only where a setting allows it."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.infrastructure.webhooks.addresses import PUBLIC, Addresses, AddressRefused

PRIVATE = [
    "127.0.0.1",
    "127.255.0.1",
    "0.0.0.0",  # noqa: S104 - this machine
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "2130706433",
    "0x7f.1",
    "localhost",
    "[::1]",
    "[::]",
    "[fe80::1]",
    "[fd00::1]",
    "[ff02::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fec0::1]",
    "[64:ff9b:1::a00:1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[5f00::1]",
    "[100::1]",
    "[3fff::1]",
    "[2001::1]",
    "192.0.0.192",
    "192.88.99.1",
    "168.63.129.16",
]


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_private_address_is_reached(scheme: str, host: str) -> None:
    with pytest.raises(AddressRefused, match="AGENTLOG_WEBHOOK_NETWORKS"):
        PUBLIC.resolve(f"{scheme}://{host}:8080/hook")


@given(
    st.sampled_from(
        ["10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"]
    ).flatmap(lambda network: st.ip_addresses(v=4, network=network)),
    st.sampled_from(
        [
            "{v4}",
            "[::{v4}]",
            "[::ffff:{v4}]",
            "[::ffff:0:{v4}]",
            "[64:ff9b::{v4}]",
            "[64:ff9b:1::{v4}]",
            "[2002:{a:x}:{b:x}::]",
        ]
    ),
)
def test_no_spelling_of_a_private_address_is_reached(address: IPv4Address, form: str) -> None:
    a, b = divmod(int(address), 2**16)
    with pytest.raises(AddressRefused):
        PUBLIC.resolve(f"https://{form.format(v4=address, a=a, b=b)}/")


@given(st.ip_addresses(v=6).filter(lambda address: address not in ip_network("2000::/3")))
def test_what_is_no_global_unicast_stands_for_a_public_address_or_is_refused(
    address: IPv6Address,
) -> None:
    try:
        PUBLIC.resolve(f"https://[{address}]/")
    except AddressRefused:
        return
    inner = address.ipv4_mapped or IPv4Address(int(address) & 0xFFFF_FFFF)
    assert inner.is_global


def test_a_public_address_is_reached_by_tls_alone() -> None:
    assert PUBLIC.resolve("https://93.184.215.14/hook?a=b") == [IPv4Address("93.184.215.14")]
    assert PUBLIC.resolve("https://[2606:4700::1111]/") == [IPv6Address("2606:4700::1111")]
    with pytest.raises(AddressRefused, match="in the clear"):
        PUBLIC.resolve("http://93.184.215.14/hook")


def test_a_network_that_is_named_is_reached_in_any_way() -> None:
    addresses = Addresses.of("127.0.0.0/8, 10.1.0.0/16")
    assert addresses.resolve("http://127.0.0.1:1/") == [IPv4Address("127.0.0.1")]
    assert addresses.resolve("https://10.1.2.3/") == [IPv4Address("10.1.2.3")]
    for url in ("http://10.2.0.1/", "https://192.168.0.1/"):
        with pytest.raises(AddressRefused):
            addresses.resolve(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hook",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "https://",
        "https://user:secret@93.184.215.14/",
        "https://93.184.215.14/#fragment",
        "https://93.184.215.14:0/",
        "https://93.184.215.14:99999/",
        "https://a b/",
        "https://93.184.215.14/\n",
        "https://93.184.215.14/" + "a" * 3000,
        "https://no-such-host.invalid/",
        "https://" + "a" * 300 + ".example/",
        "https://..example/",
        "https://[::1/",
        "https://\ud800/",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused, match=r"^webhook\.url: ") as refused:
        PUBLIC.resolve(url)
    assert "secret" not in str(refused.value)
