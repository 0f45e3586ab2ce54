"""What axe-core finds wrong with a page."""

from typing import Any

from playwright.sync_api import Page

from tests.browser.chromium import WEB

_AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Page, *within: str) -> list[str]:
    """Return each broken rule with the elements that break it; `within` are CSS selectors."""
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    value: list[dict[str, Any]] = page.evaluate(
        "async (within) => (await axe.run(within.length ? within : document)).violations",
        list(within),
    )
    return [
        f"{violation['id']}: {[node['html'] for node in violation['nodes'][:3]]}"
        for violation in value
    ]
