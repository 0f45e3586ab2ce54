"""Keys on the page: the first one, those that may not, and where none is kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, serving
from tests.databases import new_database


@pytest.fixture(scope="module")
def own_service(server_url: str, template_database: str) -> Iterator[Service]:
    """A service without keys, which the first test closes for the others."""
    with new_database(server_url, template=template_database) as url, serving(url) as service:
        service.append("parcel", {"type": "reply", "text": "On its way."})
        yield service


@contextmanager
def tab(browser: Browser, service: Service) -> Iterator[Page]:
    """Open a page whose key is refused now and then, which the browser logs as an error."""
    context = browser.new_context(base_url=service.address)
    page = context.new_page()
    errors: list[str] = []
    addresses: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: addresses.append(request.url))
    yield page
    assert page.evaluate("JSON.stringify(localStorage)") == "{}"
    context.close()
    assert [error for error in errors if "401" not in error] == []
    assert [address for address in addresses if "agentlog_" in address] == []


@pytest.fixture(scope="module")
def admin(browser: Browser, own_service: Service) -> str:
    """The first key, made on the page: it closes the service, and the page goes on with it."""
    with tab(browser, own_service) as page:
        page.goto("/keys")
        expect(page.get_by_text("This is the first key.")).to_be_visible()
        assert violations(page) == []
        page.get_by_label("Name").fill("operator")
        page.get_by_role("checkbox", name="append").check()
        create = page.get_by_role("button", name="Create key")
        expect(create).to_be_disabled()
        page.get_by_label("Every request shall need a key").check()
        create.click()
        dialog = page.get_by_role("dialog", name="The key operator")
        key = dialog.get_by_label("Key", exact=True).inner_text()
        assert own_service.client.get("/v1/threads").status_code == 401
        dialog.get_by_role("button", name="Done").click()
        expect(page.get_by_role("row", name="operator this page")).to_be_visible()
        expect(page.get_by_text(key)).to_have_count(0)
        expect(page.get_by_role("banner")).to_contain_text("may not redact contents")
    own_service.client.headers["Authorization"] = f"Bearer {key}"
    return key


def _key(service: Service, *scopes: str) -> Any:
    asked = {"name": "-".join(scopes), "scopes": list(scopes)}
    return service.client.post("/v1/keys", json=asked).json()


def test_a_key_is_asked_for_once_and_forgotten(
    browser: Browser, own_service: Service, admin: str
) -> None:
    with tab(browser, own_service) as page:
        page.goto("/keys")
        field = page.get_by_label("API key")
        field.fill("password")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_contain_text("This is no key")
        field.fill(f"{admin[:-1]}{'1' if admin[-1] == '0' else '0'}")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
        assert page.evaluate("sessionStorage.length") == 0
        assert violations(page) == []
        field.fill(admin)
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("table", name="Keys")).to_be_visible()
        page.reload()
        expect(page.get_by_role("table", name="Keys")).to_be_visible()
        page.get_by_role("button", name="Forget key").click()
        expect(page.get_by_label("API key")).to_be_visible()
        assert page.evaluate("sessionStorage.length") == 0
    with tab(browser, own_service) as other:
        other.goto("/keys")
        expect(other.get_by_label("API key")).to_be_visible()


def _enter(page: Page, key: str) -> None:
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Open").click()


@pytest.mark.usefixtures("admin")
def test_a_key_says_what_it_may_not(browser: Browser, own_service: Service) -> None:
    with tab(browser, own_service) as page:
        page.goto("/keys")
        _enter(page, _key(own_service, "append")["key"])
        expect(page.get_by_role("heading", name="This key may not read")).to_be_visible()
        page.get_by_role("main").get_by_role("button", name="Forget key").click()
        _enter(page, _key(own_service, "read")["key"])
        heading = page.get_by_role("heading", name="This key may not manage keys")
        expect(heading).to_be_visible()
        page.goto("/audit?thread=parcel")
        expect(page.get_by_text("Chain whole")).to_be_visible()


@pytest.mark.usefixtures("admin")
def test_a_key_that_may_only_manage_keys_opens_their_screen(
    browser: Browser, own_service: Service
) -> None:
    with tab(browser, own_service) as page:
        page.goto("/keys")
        _enter(page, _key(own_service, "admin")["key"])
        expect(page.get_by_role("table", name="Keys")).to_be_visible()
        page.get_by_role("link", name="Threads").click()
        expect(page.get_by_role("heading", name="This key may not read")).to_be_visible()
        page.get_by_role("link", name="Keys").click()
        expect(page.get_by_role("table", name="Keys")).to_be_visible()


@pytest.mark.usefixtures("admin")
def test_a_key_that_is_revoked_ends_the_session_of_its_page(
    browser: Browser, own_service: Service
) -> None:
    key = _key(own_service, "read", "admin")
    with tab(browser, own_service) as page:
        page.goto("/keys")
        _enter(page, key["key"])
        page.get_by_role("button", name=f"Revoke {key['name']}").wait_for()
        own_service.client.delete(f"/v1/keys/{key['id']}").raise_for_status()
        page.get_by_role("link", name="Audit").click()
        expect(page.get_by_role("alert")).to_contain_text("not accepted any more")
        expect(page.get_by_label("API key")).to_be_visible()


def test_a_key_is_revoked_when_that_was_said_twice(
    browser: Browser, own_service: Service, admin: str
) -> None:
    made = own_service.client.post("/v1/keys", json={"name": "agent", "scopes": ["append"]}).json()
    with tab(browser, own_service) as page:
        page.goto("/keys")
        _enter(page, admin)
        row = page.get_by_role("row", name="agent")
        row.get_by_role("button", name="Revoke agent").click()
        dialog = page.get_by_role("dialog", name="Revoke the key agent")
        dialog.get_by_role("button", name="Revoke for ever").click()
        expect(row).to_contain_text("revoked")
        assert violations(page) == []
    listed = own_service.client.get("/v1/keys").json()["items"]
    revoked = {key["id"]: key["revokedAt"] for key in listed}
    assert revoked[made["id"]] is not None
