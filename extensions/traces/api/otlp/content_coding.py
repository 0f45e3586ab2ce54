"""Bodies of exports without their content coding: gzip or Zstandard."""

import sys
import zlib
from collections.abc import Callable, Mapping

from agentlog.extensions.traces.api.otlp.errors import InvalidOtlp, UnknownCoding
from agentlog.extensions.traces.api.otlp.work import Work

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP_WITH_HEADER = 31  # as zlib counts
_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
"""8 MiB, the most that HTTP allows (RFC 9659)."""


def unzipped(body: bytes, coding: str, work: Work) -> bytes:
    """Return a body without its content coding.

    Raises:
        UnknownCoding: it is neither gzip nor zstd.
        BodyTooLarge: before more is unzipped than `work` allows.
        InvalidOtlp: it is not whole.
    """
    if coding in {"", "identity"}:
        work.add_bytes(len(body))
        return body
    if coding not in _CODINGS:
        raise UnknownCoding(coding)
    try:
        data, is_whole = _CODINGS[coding](body, work.most_bytes + 1)
    except (zlib.error, zstd.ZstdError) as error:
        raise InvalidOtlp(f"the body is no {coding}") from error
    work.add_bytes(len(data))
    if not is_whole:
        raise InvalidOtlp(f"the body is not one whole {coding}")
    return data


def _gunzipped(body: bytes, most: int) -> tuple[bytes, bool]:
    """Return what is in a body, up to so many bytes, and whether it is all and nothing more."""
    gunzip = zlib.decompressobj(wbits=_GZIP_WITH_HEADER)
    data = gunzip.decompress(body, most)
    return data, gunzip.eof and not gunzip.unused_data


def _unzstd(body: bytes, most: int) -> tuple[bytes, bool]:
    unzstd = zstd.ZstdDecompressor(options=_WINDOW)
    data = unzstd.decompress(body, most)
    return data, unzstd.eof and not unzstd.unused_data


_CODINGS: Mapping[str, Callable[[bytes, int], tuple[bytes, bool]]] = {
    "gzip": _gunzipped,
    "zstd": _unzstd,
}
