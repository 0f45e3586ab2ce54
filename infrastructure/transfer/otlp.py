"""Exports spans by OTLP: as lines of its JSON, or to a collector in protobuf."""

import urllib.error
import urllib.request
from collections.abc import Iterable

from domain.errors import AgentlogError
from domain.json.text import JsonValue
from projections.view import Item

RESOURCE: Item = {"service.name": "agentlog"}
_SECONDS = 30


class CollectorRefused(AgentlogError):
    """A collector did not take the spans."""


def export_request(spans: Iterable[Item]) -> Item:
    """Return spans as an export request in OTLP's JSON."""
    scope: Item = {"scope": {"name": "agentlog"}, "spans": [_span(each) for each in spans]}
    resource = {"attributes": _pairs(RESOURCE)}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def send(url: str, spans: Iterable[Item]) -> None:
    """Send spans to the collector at `url`, to which `/v1/traces` is added.

    Raises:
        CollectorRefused: it cannot be reached, or answers with an error.
        ModuleNotFoundError: the package `opentelemetry-proto` is not installed.
    """
    from infrastructure.transfer.otlp_protobuf import printed  # noqa: PLC0415 - needs an extra

    if not url.startswith(("http://", "https://")):
        raise CollectorRefused(f"{url[:64]!r} is no URL of a collector: use http:// or https://")
    request = urllib.request.Request(  # noqa: S310 - checked above
        f"{url.rstrip('/')}/v1/traces",
        printed(spans),
        {"Content-Type": "application/x-protobuf", "User-Agent": "agentlog"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - as above
            answer.read()
    except urllib.error.HTTPError as error:
        with error:
            raise CollectorRefused(f"{url} answers {error.code} {error.reason}") from error
    except OSError as error:
        raise CollectorRefused(f"{url} does not answer: {error}") from error


def _span(span: Item) -> Item:
    found = {
        **span,
        "startTimeUnixNano": str(span["startTimeUnixNano"]),
        "endTimeUnixNano": str(span["endTimeUnixNano"]),
        "attributes": _pairs(span["attributes"]),
    }
    if "events" in span:
        found["events"] = [
            {
                **each,
                "timeUnixNano": str(each["timeUnixNano"]),
                "attributes": _pairs(each["attributes"]),
            }
            for each in span["events"]
        ]
    return found


def _pairs(attributes: Item) -> list[JsonValue]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: JsonValue) -> Item:
    match value:
        case None:
            return {}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(each) for each in value]}}
        case dict():
            return {"kvlistValue": {"values": _pairs(value)}}
        case _:
            return {"stringValue": str(value)}
