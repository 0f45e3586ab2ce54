"""The signing key: made once for its owner alone, or taken from where the settings say."""

import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from agentlog.infrastructure.audit.signing import InvalidSigningKey, NoSigningKey, SigningKey


def test_a_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    key = SigningKey(path, made=True)
    assert not path.exists()
    first = key.read()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key.read().private_bytes_raw() == first.private_bytes_raw()
    assert [path.name for path in tmp_path.iterdir()] == ["key.pem"]


def test_a_key_that_openssl_made_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    command = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)]
    subprocess.run(command, check=True, timeout=60)
    assert SigningKey(path).read().sign(b"text")


def test_a_key_that_is_not_there_is_not_made_and_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoSigningKey, match="AGENTLOG_SIGNING_KEY is not set"):
        SigningKey(None).read()
    with pytest.raises(NoSigningKey, match="openssl genpkey"):
        SigningKey(tmp_path / "none").read()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_such_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(b"nonsense")
    with pytest.raises(InvalidSigningKey, match="it is no such key"):
        SigningKey(path).read()
    other = generate_private_key(SECP256R1())
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(InvalidSigningKey, match="another kind"):
        SigningKey(path).read()
    with pytest.raises(InvalidSigningKey, match="directory"):
        SigningKey(tmp_path).read()
