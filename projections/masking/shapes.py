"""Shapes of secrets and of personal data.

Those of keys and tokens are what their issuers document, as gitleaks lists them
(github.com/gitleaks/gitleaks, `config/gitleaks.toml`). Each is searched in a time that is linear in
the text: what may be long begins or ends with what occurs once.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple


def _whole(text: str) -> int:
    return len(text)


class Shape(NamedTuple):
    """What matches is masked under the name; of a group `value`, that alone.

    Texts without one of the `hints` are not searched, which takes a hundredth of the time. `check`
    returns how many characters of a match are one, 0 for none.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Callable[[str], int] = _whole


def _shapes(rows: Iterable[tuple[str, str, str]]) -> tuple[Shape, ...]:
    return tuple(
        Shape(name, tuple(hints.split()) or ("",), re.compile(pattern), _CHECKS.get(name, _whole))
        for name, hints, pattern in rows
    )


def _card(text: str) -> int:
    """Return the length of a number with its check digit (ISO/IEC 7812-1, annex B)."""
    digits = [int(digit) for digit in reversed(text) if digit.isdecimal()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return 0 if (sum(digits[::2]) + sum(doubled)) % 10 else len(text)


_IBAN_LENGTHS = {
    row[:2]: int(row[2:])
    for row in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 "
        "EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IS26 IT27 JO30 "
        "KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 MU30 NL18 NO15 PK24 PL28 PT25 "
        "QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 VA22 XK20"
    ).split()
}
"""By country, as the registry of ISO 13616 has them."""


def _iban(text: str) -> int:
    """Return the length of a number of its country's length whose check digits hold."""
    ends = [place for place, character in enumerate(text, 1) if character != " "]
    length = _IBAN_LENGTHS.get(text[:2], len(ends) + 1)
    if length > len(ends):
        return 0
    number = text[: ends[length - 1]].replace(" ", "")
    digits = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
    return ends[length - 1] if int(digits) % 97 == 1 else 0


_CHECKS: Mapping[str, Callable[[str], int]] = {"card-number": _card, "iban": _iban}

SECRETS = _shapes((
    (
        "private-key",
        "-----BEGIN",
        r"-----BEGIN[ A-Z]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-----END[ A-Z]{0,40}-----)?",
    ),
    ("anthropic-key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai-key", "sk-", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    ("github-fine-grained-token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{36,}"),
    ("gitlab-token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("aws-access-key", "AKIA ASIA ABIA ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ("google-api-key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("google-oauth-secret", "GOCSPX- ya29.", r"\b(?:GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,}"),
    ("slack-token", "xox xapp-", r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
    ("stripe-key", "_live_ _test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("hugging-face-token", "hf_", r"\bhf_[A-Za-z]{34}\b"),
    ("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi-token", "pypi-AgE", r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    ("sendgrid-key", "SG.", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("twilio-key", "SK", r"\bSK[0-9a-f]{32}\b"),
    ("digitalocean-token", "_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    ("databricks-token", "dapi", r"\bdapi[0-9a-f]{32}\b"),
    ("groq-key", "gsk_", r"\bgsk_[A-Za-z0-9]{20,}"),
    ("xai-key", "xai-", r"\bxai-[A-Za-z0-9]{20,}"),
    ("perplexity-key", "pplx-", r"\bpplx-[A-Za-z0-9]{20,}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    ("vault-token", "hvs.", r"\bhvs\.[A-Za-z0-9_-]{24,}"),
    ("docker-token", "dckr_pat_", r"\bdckr_pat_[A-Za-z0-9_-]{27}"),
    ("telegram-token", ":AA", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("agentlog-key", "agentlog_", r"\bagentlog_[a-z2-7]{12}_[0-9a-f]{64}\b"),
    ("json-web-token", "eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    ("password-in-url", "://", r"(?<=://)[^\s/:@\"]{1,256}:[^\s/@\"]{3,256}(?=@)"),
))  # fmt: skip

_NAMES = (
    "password|passwd|passphrase|pwd|secret|credential|api[_-]?key|access[_-]?key|account[_-]?key|"
    "private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token"
)
PASSWORDS = _shapes((
    (
        "assigned-secret",
        "ass ASS Ass wd WD ecret ECRET edential EDENTIAL ey EY oken OKEN",
        (rf"(?i:{_NAMES})[A-Za-z0-9_]{{0,32}}(?:\\?[\"'])?\s{{0,4}}(?:=>|[=:])\s{{0,4}}"
        r"(?:\\?[\"'])?(?P<value>[^\s\"',;&<>\\]{4,256})"),
    ),
    (
        "spoken-password",
        "assw passp ASSW",
        r"(?i:password|passphrase)\s{1,4}(?i:is)\s{1,4}[\"'`]?(?P<value>[^\s\"'`]{4,256})",
    ),
    (
        "authorization",
        "earer EARER asic ASIC",
        r"(?i:\b(?:bearer|basic))\s{1,4}(?P<value>[A-Za-z0-9._~+/=-]{16,})",
    ),
))  # fmt: skip
SECRET_KEYS = frozenset(
    "password passwd passphrase pwd pin secret secretkey clientsecret credential credentials "
    "apikey xapikey accesskey secretaccesskey accountkey privatekey token authtoken accesstoken "
    "refreshtoken sessiontoken idtoken bearertoken authorization proxyauthorization cookie "
    "setcookie otp cvv cvc".split()
)
"""Keys of objects, in lower case and without `-`, `_` and blanks, whose values are secrets."""

PERSONAL = _shapes((
    (
        "card-number",
        "",
        (r"(?<![0-9A-Za-z.-])(?:(?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|6011|65[0-9]{2}|"
        r"35[0-9]{2})(?:[ -]?[0-9]{4}){3}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})(?![0-9A-Za-z])"),
    ),
    (
        "iban",
        "",
        r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?",
    ),
    (
        "email",
        "@",
        r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}",
    ),
    ("phone", "+", r"(?<![\w+])\+[1-9](?:[ .()/-]{0,2}[0-9]){7,14}(?![0-9])"),
    (
        "phone",
        "",
        r"(?<![\w.+-])(?:\([0-9]{3}\) ?|[0-9]{3}[ .-])[0-9]{3}[ .-][0-9]{4}(?![\w-])",
    ),
    (
        "us-social-security",
        "-",
        r"(?<![\w-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])",
    ),
))  # fmt: skip
