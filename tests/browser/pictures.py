"""Pictures of the page, compared with those in the repository."""

import io
import os
import re
import time
from pathlib import Path
from typing import Final

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Page, Route

FOLDER: Final = Path(__file__).parent / "pictures"
_ANEW = "AGENTLOG_TEST_PICTURES" in os.environ

# the messages' own times are of this day; all others are of the log
_NOW = "2026-01-05T09:30:00.000000Z"
_LATER = re.compile(r"20(?!26-01-05)\d\d-\d\d-\d\dT[0-9:.]+Z")
_FROZEN = re.compile(r"/v1/(?!threads/[^/]+/(?:events|chain)\b)")
"""All but the stream, which does not end, and the links, which are hashes of the real times."""

_MOST_COLOUR = 12
"""Of 255: a pixel that differs by no more is the same."""
_MOST_PIXELS = 12
_PATIENCE_S = 45.0
_STILL_MS = 1500
_PAUSE_MS = 200


def make_repeatable(page: Page) -> None:
    """Give the page one time, answers whose times by the log are always the same, and no memory."""
    page.add_init_script("localStorage.clear(); sessionStorage.clear()")
    page.clock.set_fixed_time(_NOW)

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=_LATER.sub(_NOW, response.text()))

    page.route(_FROZEN, answer)


def check(page: Page, name: str, folder: Path) -> None:
    """Wait until the page looks as in the picture of that name; else leave its own in a folder."""
    path = FOLDER / f"{name}.webp"
    if _ANEW:
        _take(page, path)
    deadline = time.monotonic() + _PATIENCE_S
    while (pixels := _differing(shot := _screenshot(page), path)) > _MOST_PIXELS:
        if time.monotonic() > deadline:
            actual = folder / f"{name}.png"
            actual.write_bytes(shot)
            pytest.fail(
                f"{pixels} pixels of {path.name} differ: see {actual}, then `make pictures`"
            )
        page.wait_for_timeout(_PAUSE_MS)


def _take(page: Page, path: Path) -> None:
    before = b""
    while (shot := _screenshot(page)) != before:
        before = shot
        page.wait_for_timeout(_STILL_MS)
    _image(shot).save(path, lossless=True, quality=100, method=6)


def _screenshot(page: Page) -> bytes:
    return page.screenshot(animations="disabled", caret="hide")


def _differing(shot: bytes, path: Path) -> int:
    difference = ImageChops.difference(_image(shot), _image(path.read_bytes()))
    red, green, blue = difference.split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(most.histogram()[_MOST_COLOUR + 1 :])


def _image(picture: bytes) -> Image.Image:
    with Image.open(io.BytesIO(picture)) as image:
        return image.convert("RGB")
