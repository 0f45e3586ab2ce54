"""Proofs on the page: computed by the browser, not taken from the service."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from agentlog.infrastructure.audit.signing import SigningKey
from tests.browser.accessibility import violations
from tests.browser.conftest import Service, opened, serving
from tests.command_line import agentlog
from tests.databases import new_database

THREAD = "parcel"
SIGNED = 4
"""Events that the first checkpoint covers."""


@pytest.fixture(scope="module")
def signed(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Service, str]]:
    """A service whose log has two checkpoints, and the public key."""
    path = tmp_path_factory.mktemp("key") / "signing-key.pem"
    SigningKey(path, made=True).read()
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server_url, template=template_database))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("AGENTLOG_SIGNING_KEY", str(path))
        service = stack.enter_context(serving(url))
        for _ in range(2):
            for _ in range(SIGNED):
                service.append(THREAD, {"type": "reply", "text": "On its way."})
            assert agentlog("checkpoint", url=url).code == 0
        key = agentlog("checkpoint", "--public-key", url=url).out.strip()
        yield service, key


@pytest.fixture
def page(browser: Browser, signed: tuple[Service, str]) -> Iterator[Page]:
    """A page of that service."""
    with opened(browser, signed[0]) as opened_page:
        yield opened_page


def test_a_whole_thread_is_verified_and_goes_on_being_so(page: Page) -> None:
    page.goto(f"/audit?thread={THREAD}")
    thread = page.get_by_role("region", name="A thread")
    expect(thread.get_by_text("Chain whole")).to_be_visible()
    expect(thread).to_contain_text(f"{2 * SIGNED} of {2 * SIGNED} events")
    expect(thread).to_contain_text(f"whole, at version {2 * SIGNED}")
    expect(thread).to_contain_text("covers it whole")
    assert violations(page) == []


def test_a_link_covers_what_redactions_may_leave_of_each_file(
    page: Page, signed: tuple[Service, str]
) -> None:
    files = [{"data": "Zm9v", "filename": name} for name in ("a", "b")]
    service = signed[0]
    service.append("attached", {"type": "input", "text": "See these.", "files": files})
    events = service.client.get("/v1/threads/attached/chain").json()["items"]
    assert len(events[-1]["leftSha256"]) > len(events[-1]["bodySha256"])
    page.goto("/audit?thread=attached")
    thread = page.get_by_role("region", name="A thread")
    expect(thread.get_by_text("Chain whole")).to_be_visible()


def _altered_body(event: dict[str, Any]) -> None:
    body = b64decode(event["body"])
    event["body"] = b64encode(body[:-3] + b"x" + body[-2:]).decode()


def _altered_link(event: dict[str, Any]) -> None:
    event["chain"] = ("1" if event["chain"][0] == "0" else "0") + event["chain"][1:]


@pytest.mark.parametrize(
    ("alter", "finding"), [(_altered_body, "body-altered"), (_altered_link, "link-broken")]
)
def test_a_byte_that_was_changed_on_the_way_breaks_the_chain_though_the_service_says_whole(
    page: Page, alter: Any, finding: str
) -> None:
    def tamper(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        alter(body["items"][2])
        route.fulfill(response=answer, body=json.dumps(body))

    page.route("**/chain?*", tamper)
    page.goto(f"/audit?thread={THREAD}")
    thread = page.get_by_role("region", name="A thread")
    expect(thread.get_by_text("Chain broken at version 3")).to_be_visible()
    expect(thread).to_contain_text(f"whole, at version {2 * SIGNED}")
    expect(thread).to_contain_text("The service says that it is whole.")
    row = thread.get_by_role("row", name=finding).first
    expect(row.get_by_role("cell").last).to_have_text("browser")
    row.get_by_role("link", name="3", exact=True).click()
    expect(page).to_have_url(f"{page.url.partition('/threads')[0]}/threads/{THREAD}?at=3")


def test_checkpoints_are_verified_by_the_readers_own_key(
    page: Page, signed: tuple[Service, str]
) -> None:
    _, key = signed
    page.goto("/audit")
    table = page.get_by_role("table", name="Checkpoints")
    expect(table.get_by_text("Signed by the service's key")).to_have_count(2)
    field = page.get_by_label("Public key of the log")
    field.fill("agentlog/default+00000000+AAAA")
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("alert")).to_contain_text("no public key of a log")
    field.fill(key)
    page.get_by_role("button", name="Use this key").click()
    expect(table.get_by_text("Signed by your key")).to_have_count(2)
    page.reload()
    expect(table.get_by_text("Signed by your key")).to_have_count(2)
    page.get_by_role("button", name=f"Compare from {SIGNED}", exact=True).click()
    page.get_by_role("button", name=f"Compare to {2 * SIGNED}", exact=True).click()
    two = page.get_by_role("region", name="Two checkpoints")
    expect(two.get_by_role("status")).to_contain_text("Proved")
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?from={SIGNED}&to={2 * SIGNED}")
    assert violations(page) == []


def test_a_note_that_was_changed_is_not_proved(page: Page) -> None:
    def tamper(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["to"]["note"] = body["to"]["note"].replace(f"\n{2 * SIGNED}\n", "\n9\n")
        route.fulfill(response=answer, body=json.dumps(body))

    page.route("**/consistency?*", tamper)
    page.goto(f"/audit?from={SIGNED}&to={2 * SIGNED}")
    result = page.get_by_role("region", name="Two checkpoints").get_by_role("status")
    expect(result).to_contain_text("Not proved")
    expect(result).to_contain_text("Changed after it was signed")


def test_a_message_is_proved_from_its_contents_to_the_signature(
    page: Page, signed: tuple[Service, str]
) -> None:
    service, _ = signed
    items = service.client.get(f"/v1/threads/{THREAD}/messages").json()["items"]
    page.goto(f"/audit?thread={THREAD}")
    section = page.get_by_role("region", name="A message")
    section.get_by_label("message id").fill(items[3]["message"]["id"])
    section.get_by_role("button", name="Verify").click()
    expect(section.get_by_role("status")).to_contain_text("Proved")
    expect(section.get_by_role("listitem")).to_have_count(4)


def test_evidence_is_downloaded_and_verified_without_the_service(
    browser: Browser, signed: tuple[Service, str], tmp_path: Path
) -> None:
    page = browser.new_page(base_url=signed[0].address)  # it logs what it cannot load
    page.goto(f"/audit?thread={THREAD}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download evidence").click()
    file = tmp_path / "evidence.json"
    download.value.save_as(file)
    evidence = page.get_by_role("region", name="Evidence")
    field = evidence.get_by_label("Evidence file")
    page.context.set_offline(True)
    field.set_input_files(file)
    expect(evidence.get_by_role("status")).to_contain_text("Whole")
    bundle = json.loads(file.read_text())
    _altered_body(bundle["events"][1])
    altered = tmp_path / "altered.json"
    altered.write_text(json.dumps(bundle))
    field.set_input_files(altered)
    expect(evidence.get_by_role("status")).to_contain_text("Broken")
    expect(evidence.get_by_role("listitem")).to_contain_text(["Version 2: body-altered"])
    page.close()


def test_a_thread_is_redacted_when_that_was_said_twice(
    page: Page, signed: tuple[Service, str]
) -> None:
    service, _ = signed
    service.append("to-erase", {"type": "input", "text": "My name is Ada."})
    page.goto("/threads/to-erase")
    page.get_by_role("button", name="Chain whole").click()
    chain = page.get_by_role("dialog", name="Chain")
    expect(chain.get_by_role("button", name="Check again")).to_be_visible()
    expect(chain.get_by_role("button", name=re.compile("Redact|Erase"))).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Actions").click()
    page.get_by_role("button", name="Of the whole thread…").click()
    dialog = page.get_by_role("dialog", name="Redact this thread")
    erase = dialog.get_by_role("button", name="Erase for ever")
    dialog.get_by_label("Reason").fill("request 118")
    expect(erase).to_be_disabled()
    dialog.get_by_label("Type the thread's id").fill("to-erase")
    erase.click()
    expect(dialog).to_be_hidden()
    page.goto("/audit?thread=to-erase")
    expect(page.get_by_text("Chain whole · 1 redacted")).to_be_visible()
    body = service.client.get("/v1/threads/to-erase/views/openai?bare=true").json()
    assert body == [{"role": "user", "content": "[redacted]"}]
