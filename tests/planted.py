"""Secrets and personal data as agents meet them: drawn, each in the places where they stand."""

import json
import string
from collections.abc import Iterator
from random import Random
from typing import Any

RULE = 'detectors = ["secrets", "passwords", "personal"]'

_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"


def _of(random: Random, letters: str, count: int) -> str:
    return "".join(random.choice(letters) for _ in range(count))


def _card(random: Random, prefix: str, length: int) -> str:
    digits = prefix + _of(random, string.digits, length - len(prefix) - 1)
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits))]
    return f"{digits}{-sum(sum(divmod(value, 10)) for value in doubled) % 10}"


def _iban(random: Random) -> str:
    account = _of(random, string.digits, 18)
    check = 98 - int(f"{account}131400") % 97  # DE, as 1314
    return f"DE{check:02}{account}"


def texts(random: Random) -> dict[str, str]:
    """Return secrets whose shape tells what they are, by name."""
    urlsafe, upper = f"{_LETTERS}_-", string.ascii_uppercase + "234567"
    return {
        "openai": f"sk-proj-{_of(random, urlsafe, 48)}",
        "anthropic": f"sk-ant-api03-{_of(random, urlsafe, 80)}",
        "aws": f"AKIA{_of(random, upper, 16)}",
        "google": f"AIza{_of(random, _LETTERS, 35)}",
        "github": f"ghp_{_of(random, _LETTERS, 36)}",
        "github-new": f"github_pat_{_of(random, _LETTERS, 60)}",
        "gitlab": f"glpat-{_of(random, _LETTERS, 20)}",
        "slack": f"xoxb-{_of(random, string.digits, 12)}-{_of(random, _LETTERS, 24)}",
        "stripe": f"sk_live_{_of(random, _LETTERS, 24)}",
        "hugging-face": f"hf_{_of(random, string.ascii_letters, 34)}",
        "npm": f"npm_{_of(random, _LETTERS, 36)}",
        "pypi": f"pypi-AgEIcHlwaS5vcmc{_of(random, urlsafe, 60)}",
        "sendgrid": f"SG.{_of(random, urlsafe, 22)}.{_of(random, urlsafe, 43)}",
        "twilio": f"SK{_of(random, _HEX, 32)}",
        "groq": f"gsk_{_of(random, _LETTERS, 52)}",
        "databricks": f"dapi{_of(random, _HEX, 32)}",
        "agentlog": f"agentlog_{_of(random, 'abcdefgh234567', 12)}_{_of(random, _HEX, 64)}",
        "jwt": ".".join(["eyJ" + _of(random, urlsafe, 20)] * 2 + [_of(random, urlsafe, 43)]),
        "rsa": f"-----BEGIN RSA PRIVATE KEY-----\n{_of(random, _LETTERS, 64)}\n"
        f"{_of(random, _LETTERS, 64)}\n-----END RSA PRIVATE KEY-----",
        "openssh": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{_of(random, _LETTERS, 64)}\n"
        "-----END OPENSSH PRIVATE KEY-----",
        "visa": _card(random, "4", 16),
        "mastercard": _card(random, "53", 16),
        "amex": _card(random, "37", 15),
        "iban": _iban(random),
        "email": f"{_of(random, string.ascii_lowercase, 8)}.x@{_of(random, _HEX, 9)}.example.org",
        "phone": f"+49 30 {_of(random, string.digits, 4)} {_of(random, string.digits, 5)}",
        "us-phone": f"({_of(random, '2345', 3)}) {_of(random, '2345', 3)}-"
        f"{_of(random, string.digits, 4)}",
        "ssn": f"{_of(random, '12345', 3)}-{_of(random, '12345', 2)}-{_of(random, '12345', 4)}",
    }


def assigned(random: Random) -> dict[str, tuple[str, str]]:
    """Return passwords that only what stands before them tells, each with the text around it."""
    names = ("env", "yaml", "json", "url", "bearer", "spoken")
    words = {name: _of(random, _LETTERS, 20) for name in names}
    around = {
        "env": "export DB_PASSWORD={}",
        "yaml": "client_secret: {}",
        "json": 'it said "api_key": "{}", and so on',
        "url": "postgres://app:{}@db.internal/app",
        "bearer": "curl -H 'Authorization: Bearer {}'",
        "spoken": "My password is {}",
    }
    return {name: (words[name], around[name].format(words[name])) for name in names}


class Planted:
    """Forty secrets; `text` has those of a text, `arguments` those below keys too."""

    def __init__(self, random: Random) -> None:
        known, told = texts(random), assigned(random)
        keys = ("password", "apiKey", "access_token", "Secret", "passphrase", "authorization")
        below = {key: _of(random, _LETTERS, 18) for key in keys}
        self.secrets = {
            **known,
            **{f"assigned {name}": word for name, (word, _) in told.items()},
            **{f"below {key}": value for key, value in below.items()},
        }
        self.text = " and ".join([*known.values(), *(text for _, text in told.values())])
        inner = json.dumps({"deep": json.dumps(below), "to": known["email"]})
        self.arguments: dict[str, Any] = {
            **below,
            "env": [self.text, {"card": int(known["visa"])}],
            "body": inner,
        }

    def leaks(self, haystack: bytes) -> Iterator[str]:
        """Yield the names of the secrets that stand in bytes, as they are or as JSON has them."""
        for name, secret in self.secrets.items():
            longest = max(secret.split("\n"), key=len)
            if longest.encode() in haystack:
                yield name
