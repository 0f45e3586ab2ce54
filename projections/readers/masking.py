"""Masks secrets in messages before anything is written: known shapes of keys and tokens.

The shapes are those that their issuers document, as gitleaks lists them
(github.com/gitleaks/gitleaks, `config/gitleaks.toml`).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agentlog.domain.json.values import JsonObject, JsonValue

_OF_FILES = ("data", "mimeType")


@dataclass(frozen=True, slots=True)
class Mask:
    """A shape of secrets: what matches is replaced by `[masked: NAME]`.

    Texts without one of the `hints` are not searched, which takes a hundredth of the time.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


KNOWN_SECRETS = tuple(
    Mask(name, tuple(hints.split()), re.compile(pattern))
    for name, hints, pattern in (
        (
            "private-key",
            "-----BEGIN",
            r"-----BEGIN[ A-Z]{0,40}PRIVATE KEY-----[^-]*(?:-----END[ A-Z]{0,40}-----)?",
        ),
        ("anthropic-key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
        ("openai-key", "sk-", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}"),
        ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
        ("github-fine-grained-token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{36,}"),
        ("gitlab-token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
        ("aws-access-key", "AKIA ASIA", r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
        ("google-api-key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}"),
        ("slack-token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
        ("stripe-key", "_live_ _test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
        ("hugging-face-token", "hf_", r"\bhf_[A-Za-z]{34}\b"),
        ("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
        ("agentlog-key", "agentlog_", r"\bagentlog_[a-z2-7]{12}_[0-9a-f]{64}\b"),
        ("json-web-token", "eyJ", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
        ("password-in-url", "://", r"(?<=://)[^\s/:@]{1,256}:[^\s/@]{3,256}(?=@)"),
    )
)


def masked(value: JsonValue, masks: Sequence[Mask], hits: Counter[str]) -> JsonValue:
    """Return `value` with secrets masked in its texts; `hits` counts them by name.

    Names of fields and the bytes of files stay as they are.
    """
    match value:
        case str():
            for mask in masks:
                if any(hint in value for hint in mask.hints):
                    value, count = mask.pattern.subn(f"[masked: {mask.name}]", value)
                    hits.update({mask.name: count} if count else {})
            return value
        case list():
            return [masked(item, masks, hits) for item in value]
        case dict():
            return masked_fields(value, masks, hits)
        case _:
            return value


def masked_fields(value: JsonObject, masks: Sequence[Mask], hits: Counter[str]) -> JsonObject:
    """Return an object with secrets masked in its texts, see `masked`."""
    is_file = isinstance(value.get("data"), str) and "mimeType" in value
    kept = _OF_FILES if is_file else ()
    return {key: item if key in kept else masked(item, masks, hits) for key, item in value.items()}
