"""Exchanges and messages masked before anything is written."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_at, object_of
from agentlog.projections.exchanges.exchange import TYPE, Exchange, exchange_of, payload_of
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.exchanges.streams import is_finished
from agentlog.projections.masking.mask import Mask

StreamOf = Callable[[JsonObject, Api], bytes]
"""Writes an answer of an API as the stream that it would have come as."""

_DATA = b"data:"
_STREAM_BEGINS = (_DATA, b"event:", b"id:", b"retry:", b":")
_KEPT = ("session", "agent", "mask")
_WIRES = frozenset({"request", "response"})
_WIRE = ("pieces", "sha256", "body", "chunks")
_EVERYTHING = Mask(is_structure_only=True)


def masked_message(mask: Mask, body: JsonObject, hits: Counter[str]) -> JsonObject:
    """Return a message, fact or draft with its contents masked; `hits` counts by name."""
    payload = object_of(body.get("payload"))
    pieces = array_of(object_at(payload, "request").get("pieces"))
    if body.get("type") != TYPE or not payload or not all(map(_is_piece, pieces)):
        return mask.message(body, hits)
    try:
        exchange = masked_exchange(mask, exchange_of(payload), hits=hits)
    except ValueError:  # it holds bytes that are none
        return mask.message(body, hits)
    written = payload if exchange.mask is None else payload_of(exchange, "")
    kept = {key: written[key] for key in _KEPT if key in written}
    for key in _WIRES & payload.keys():
        kept[key] = _masked_wire(mask, object_at(payload, key), object_at(written, key), hits)
    others = {key: item for key, item in payload.items() if key not in kept}
    fields = mask.message({**body, "payload": others}, hits)
    return {**fields, "payload": {**payload, **object_of(fields["payload"]), **kept}}


def _masked_wire(
    mask: Mask, side: JsonObject, written: JsonObject, hits: Counter[str]
) -> JsonValue:
    """Return what a payload says of a request or answer, with the bytes as they were masked."""
    wire = {key: written[key] for key in _WIRE if key in written}
    others = {key: item for key, item in side.items() if key not in wire}
    if mask.is_structure_only:
        others.pop("headers", None)
    return {**side, **wire, **object_of(mask.structured(others, hits))}


def _is_piece(piece: JsonValue) -> bool:
    return isinstance(piece, str) or isinstance(object_of(piece).get("base64"), str)


def masked_exchange(
    mask: Mask,
    exchange: Exchange,
    *,
    stream_of: StreamOf | None = None,
    hits: Counter[str] | None = None,
) -> Exchange:
    """Return an exchange with request and answer masked; itself where nothing is.

    Texts come in pieces in a stream. One that has something to mask is written anew from its answer
    by `stream_of`; without that, or where it has no end, its structure alone is kept.
    """
    hits = Counter() if hits is None else hits
    before = hits.total()
    request = _Body(mask, exchange.request, hits)
    response = _Body(mask, exchange.response, hits)
    answer, api = exchange.answer, exchange.api
    if answer is not None and api is not None and _is_in_pieces(exchange):
        in_answer = Counter[str]()
        whole = object_of(mask.structured(answer, in_answer))
        hits.update(in_answer)
        if in_answer and stream_of is not None and is_finished(answer, api):
            text = stream_of(whole, api)
            chunks = [(0, ms) for _, ms in exchange.chunks[-1:]]
            return replace(
                exchange, request=request.text, response=text, chunks=chunks, mask=mask.rule
            )
        if in_answer:
            response = _Body(_EVERYTHING, exchange.response, hits)
    if hits.total() == before:
        return exchange
    chunks = [(response.moved(offset), ms) for offset, ms in exchange.chunks]
    return replace(
        exchange, request=request.text, response=response.text, chunks=chunks, mask=mask.rule
    )


def _is_in_pieces(exchange: Exchange) -> bool:
    return exchange.response.lstrip().startswith((*_STREAM_BEGINS, b"["))


class _Body:
    """A body masked: JSON, a stream of events, or another text; other bytes stay."""

    def __init__(self, mask: Mask, body: bytes, hits: Counter[str]) -> None:
        is_stream = body.lstrip().startswith(_STREAM_BEGINS)
        self._ends, self._written = [0], [0]
        lines = list[bytes]()
        for line in body.splitlines(keepends=True) if is_stream else [body]:
            masked = _masked_line(mask, line, hits) if is_stream else _masked(mask, line, hits)
            lines.append(masked)
            self._ends.append(self._ends[-1] + len(line))
            self._written.append(self._written[-1] + len(masked))
        self.text = b"".join(lines)

    def moved(self, offset: int) -> int:
        """Return where a byte of the original stands now, at most at the end of its line."""
        line = bisect_right(self._ends, offset)
        if line == len(self._ends):
            return len(self.text)
        start, end = self._written[line - 1], self._written[line]
        return min(start + offset - self._ends[line - 1], end)


def _masked_line(mask: Mask, line: bytes, hits: Counter[str]) -> bytes:
    """Return a line of a stream with its data masked."""
    data = line.removeprefix(_DATA).strip()
    if data == line.strip() or not data:
        return line
    begin = line.index(data)
    return line[:begin] + _masked(mask, data, hits) + line[begin + len(data) :]


def _masked(mask: Mask, body: bytes, hits: Counter[str]) -> bytes:
    """Return JSON or a text masked, byte for byte the same where nothing is."""
    before = hits.total()
    try:
        masked = print_bytes(mask.structured(parse(body), hits))
    except InvalidJson:
        try:
            masked = mask.text(body.decode(), hits).encode()
        except UnicodeDecodeError:
            return b"" if mask.is_structure_only else body
    return body if hits.total() == before else masked
