"""Takes the pictures of the documentation: each screen with the examples, into a folder.

python -m tests.browser.screenshots docs/pictures
"""

import re
import sys
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import expect

from tests.browser.chromium import chromium
from tests.browser.conftest import ROOT, catch_up, opened, serving
from tests.command_line import agentlog
from tests.databases import embedded_server_url, new_database


class Picture(NamedTuple):
    """A screen to take: its file, its address, and a text that says that it is drawn."""

    name: str
    address: str
    drawn: str
    scheme: Literal["light", "dark"] = "light"
    width: int = 1280
    height: int = 800


PICTURES = (
    Picture("threads", "/", "deploy"),
    Picture("thread", "/threads/deploy?at=4", "At version 4"),
    Picture("model", "/threads/refund?at=9&state=model", "o200k_base", "dark"),
    Picture("changes", "/threads/refund?at=13&state=changes&a=3&b=13", "step_count"),
    Picture(
        "compare",
        '/compare?thread=["research","research-worker-1"]',
        "First difference after",
    ),
    Picture("report", "/reports/tools", "as of position"),
    Picture("audit", "/audit?thread=refund", "Chain whole"),
    Picture("phone", "/threads/deploy?at=4", "denied", width=390, height=844),
)


def take(folder: Path) -> None:
    """Take all pictures into the folder."""
    with embedded_server_url() as server, new_database(server) as url:
        assert agentlog("import", ROOT / "examples", url=url).code == 0
        with serving(url) as service, chromium() as browser:
            catch_up(service)
            for picture in PICTURES:
                with opened(
                    browser,
                    service,
                    color_scheme=picture.scheme,
                    viewport={"width": picture.width, "height": picture.height},
                ) as page:
                    page.goto(picture.address)
                    expect(page.get_by_text(re.compile(picture.drawn)).first).to_be_visible()
                    page.wait_for_timeout(1000)  # badges and charts: nothing else hangs on it
                    page.screenshot(path=folder / f"{picture.name}.png", animations="disabled")


if __name__ == "__main__":
    take(Path(sys.argv[1]))
