"""Secrets of known shapes, masked before anything is written."""

from collections import Counter
from typing import Any

import pytest

from agentlog.projections.masking.mask import KNOWN_SECRETS
from agentlog.projections.masking.shapes import SECRETS as SHAPES

A, B = "a1B2" * 10, "0123456789abcdefABCD"
SECRETS = {
    "private-key": f"-----BEGIN RSA PRIVATE KEY-----\n{A}\n{A}\n-----END RSA PRIVATE KEY-----",
    "anthropic-key": f"sk-ant-api03-{A}",
    "openai-key": f"sk-proj-{A}",
    "github-token": f"ghp_{A}",
    "github-fine-grained-token": f"github_pat_{A}",
    "gitlab-token": f"glpat-{B}",
    "aws-access-key": "AKIAIOSFODNN7EXAMPLE",
    "google-api-key": f"AIza{A[:35]}",
    "slack-token": "xoxb-123456789012-abcdef",
    "stripe-key": f"sk_live_{B}",
    "hugging-face-token": "hf_" + "aBcDeFgHiJ" * 3 + "aBcD",
    "npm-token": f"npm_{A[:36]}",
    "google-oauth-secret": f"GOCSPX-{B}",
    "pypi-token": f"pypi-AgEIcHlwaS5vcmc{A}",
    "sendgrid-key": f"SG.{A[:22]}.{(A + A)[:43]}",
    "twilio-key": "SK" + "0f" * 16,
    "digitalocean-token": "dop_v1_" + "0f" * 32,
    "databricks-token": "dapi" + "0f" * 16,
    "groq-key": f"gsk_{A}",
    "xai-key": f"xai-{A}",
    "perplexity-key": f"pplx-{A}",
    "shopify-token": "shpat_" + "0f" * 16,
    "vault-token": f"hvs.{A}",
    "docker-token": f"dckr_pat_{A[:27]}",
    "telegram-token": f"123456789:AA{A[:33]}",
    "agentlog-key": "agentlog_" + "abcdef234567" + "_" + "0f" * 32,
    "json-web-token": f"eyJ{B}.eyJ{B}.{A}",
    "password-in-url": "ann:s3cret",
}
PLAIN = [
    "sk-learn is not a key, nor is sk-1",
    "https://example.org:8080/a@b",
    "AKIA is a prefix",
    "ghp_short",
    "a" * 500,
    "task-agentlog_demo",
    "",
]


def mask(value: Any) -> tuple[Any, dict[str, int]]:
    hits = Counter[str]()
    return KNOWN_SECRETS[0].value(value, hits), dict(hits)


@pytest.mark.parametrize("name", [shape.name for shape in SHAPES])
def test_a_secret_of_a_known_shape_is_masked_wherever_it_stands(name: str) -> None:
    secret = SECRETS[name]
    text = f"https://{secret}@host" if name == "password-in-url" else f"key={secret}, and so on"
    cleaned, hits = mask({"calls": [{"args": {"env": [text]}}], "argumentsText": text})
    assert secret not in str(cleaned)
    assert f"[masked: {name}, {len(secret)}]" in cleaned["calls"][0]["args"]["env"][0]
    assert hits == {name: 2}
    assert mask(cleaned) == (cleaned, {})


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert mask([text, {text: 1}, 1.5, None]) == ([text, {text: 1}, 1.5, None], {})


def test_the_bytes_of_a_file_stay_as_they_are() -> None:
    file = {"data": SECRETS["npm-token"], "mimeType": "text/plain", "filename": "a"}
    assert mask({"files": [file]}) == ({"files": [file]}, {})
