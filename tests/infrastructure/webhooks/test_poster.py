"""A request goes to the address that was checked, and the receiver proves the name asked for."""

import asyncio
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from hypothesis import example, given
from hypothesis import strategies as st

from agentlog.infrastructure.webhooks.addresses import Addresses
from agentlog.infrastructure.webhooks.payload import Payload
from agentlog.infrastructure.webhooks.poster import Answer, Poster, retry_after
from tests.infrastructure.webhooks.conftest import SECRET
from tests.infrastructure.webhooks.receiver import Receiver

LOOPBACK = Addresses.of("127.0.0.0/8, ::1/128")
PAYLOAD = Payload("msg_1", b'{"type":"reply","data":{"position":1}}')
NAME = "localhost"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the key and the certificate of a host, which nobody else has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    path.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + made.public_bytes(Encoding.PEM)
    )
    return path


@pytest.fixture
def receiver(certificate: Path) -> Iterator[Receiver]:
    """A receiver that shows that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Receiver(tls=context) as opened:
        yield opened


def _post(url: str, *, trusting: Path | None = None) -> Answer:
    with ThreadPoolExecutor(1) as resolvers:
        context = ssl.create_default_context(cafile=trusting)
        poster = Poster(LOOPBACK, lambda: context, resolvers, 30)
        return asyncio.run(poster.post(url, PAYLOAD, SECRET))


def test_the_receiver_is_asked_by_its_name_and_proves_it(
    receiver: Receiver, certificate: Path
) -> None:
    assert _post(f"https://{NAME}:{receiver.port}/hook", trusting=certificate) == Answer()
    (posted,) = receiver.posted
    assert posted.headers["host"] == f"{NAME}:{receiver.port}"
    posted.verify(SECRET.reveal())


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1"])
def test_a_certificate_of_another_name_is_refused(
    receiver: Receiver, certificate: Path, host: str
) -> None:
    answer = _post(f"https://{host}:{receiver.port}/hook", trusting=certificate)
    assert answer.error == "the connection failed: ConnectError"
    assert receiver.posted == []


def test_a_certificate_that_nobody_signed_is_refused(receiver: Receiver) -> None:
    answer = _post(f"https://{NAME}:{receiver.port}/hook")
    assert (answer.error, answer.is_down) == ("the connection failed: ConnectError", True)
    assert receiver.posted == []


def test_an_address_on_which_nothing_listens_is_down() -> None:
    assert _post("http://127.0.0.1:9/") == Answer(
        "the connection failed: ConnectError", is_down=True
    )


_DATES = st.builds(
    "{}, {} {} {} {}:{}:{} {}".format,
    st.sampled_from(["Mon", "Xyz", ""]),
    st.integers(-1, 10**20),
    st.sampled_from(["Jan", "Foo"]),
    st.integers(-1, 10**20),
    *[st.integers(-1, 10**20)] * 3,
    st.sampled_from(["GMT", "+0000", "+99999999999999999999", "-9999", "+" + "9" * 5000, ""]),
)


@given(st.text() | _DATES | st.integers().map(str) | st.sampled_from(["9" * 5000, "\u0663"]))
@example("Mon, 01 Jan 2024 00:00:00 +99999999999999999999")
def test_any_retry_after_is_within_a_day(text: str) -> None:
    assert 0 <= retry_after(text) <= 86_400
