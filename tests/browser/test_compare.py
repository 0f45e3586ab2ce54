"""Threads side by side, and all runs of each task."""

import re

from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import Service, catch_up

RUNS = ("airline-1-0", "airline-1-1", "airline-1-2")


def _said(kind: str, text: str) -> dict[str, object]:
    return {"type": kind, "text": text}


def _pair(service: Service) -> None:
    """Two threads whose words part after six equal messages; the second has one more."""
    shared = [_said("input", f"Question {number}") for number in range(6)]
    for name, place, more in (("pair-1", "Berlin", []), ("pair-2", "Munich", ["Anything else?"])):
        service.append(name, *shared, _said("reply", f"Your flight to {place} is booked."))
        for text in more:
            service.append(name, _said("reply", text))


def test_a_reader_chooses_two_threads_and_sees_where_they_part(
    page: Page, service: Service
) -> None:
    _pair(service)
    page.goto("/compare")
    page.get_by_label("Thread id").fill("pair-1")
    page.get_by_role("button", name="Choose", exact=True).click()
    page.get_by_label("Thread id").fill("pair-2")
    page.get_by_role("button", name="Compare", exact=True).click()

    expect(page.get_by_role("button", name="First difference after 6 equal steps")).to_be_visible()
    first = page.get_by_role("row").filter(has_text="first difference")
    expect(first).to_have_attribute("aria-current", "true")
    expect(first.locator("del")).to_have_text("Berlin")
    expect(first.locator("ins")).to_have_text("Munich")
    expect(page.get_by_text("Question 2")).to_have_count(0)
    page.get_by_role("button", name="5 equal steps").click()
    expect(page.get_by_text("Question 2")).to_have_count(2)
    assert violations(page) == []

    page.keyboard.press("n")
    expect(page).to_have_url(re.compile("row=7"))
    expect(page.locator("[aria-current=true]")).to_contain_text("Anything else?")
    page.keyboard.press("p")
    page.get_by_role("link", name="pair-2 at version 7").click()
    expect(page).to_have_url(re.compile(r"/threads/pair-2\?at=7$"))


def test_a_thread_may_be_compared_with_its_past_and_its_own_words(
    page: Page, service: Service
) -> None:
    service.append("alone", *(_said("input", f"Step {number}") for number in range(5)))
    page.goto("/compare?thread=alone@3&thread=alone")
    expect(page.get_by_role("button", name="First difference after 3 equal steps")).to_be_visible()
    page.goto("/compare?thread=alone&thread=alone")
    expect(page.get_by_text("These threads say the same.")).to_be_visible()


def test_three_runs_of_a_task_part_where_the_service_says(page: Page, service: Service) -> None:
    query = {"a": RUNS[0], "b": RUNS[1:]}
    body = service.client.get("/v1/compare", params=query).json()
    parting = body["divergence"]
    page.goto(f"/compare?thread={RUNS[0]}&thread={RUNS[1]}")
    page.get_by_label("Add thread").fill(RUNS[2])
    page.get_by_role("button", name="Add", exact=True).click()
    step = "step" if parting["equal"] == 1 else "steps"
    label = f"First difference after {parting['equal']} equal {step}"
    expect(page.get_by_role("button", name=label)).to_be_visible()
    row = page.get_by_role("row").filter(has_text="first difference")
    for branch in parting["branches"]:
        version = branch["did"]["place"].split(".")[0]
        for side in branch["sides"]:
            name = f"{RUNS[side]} at version {version}"
            expect(row.get_by_role("link", name=name)).to_be_in_viewport()
    page.get_by_role("link", name=f"Remove {RUNS[0]}").click()
    expect(page.get_by_role("columnheader", name=RUNS[0])).to_have_count(0)


def test_of_each_task_a_run_that_failed_opens_beside_one_that_did_not(
    page: Page, service: Service
) -> None:
    query = {"by": "metadata.task", "failed": "metadata.reward:0"}
    sets = service.client.get("/v1/compare/sets", params=query).json()["items"]
    mixed = [run_set for run_set in sets if run_set["failed"] and run_set["succeeded"]]
    page.goto("/compare")
    page.get_by_label("All runs of each task, by the metadata key").fill("task")
    page.get_by_role("button", name="Show tasks").click()
    page.get_by_label("A run failed where").fill("metadata.reward:0")
    page.get_by_role("button", name="Use").click()
    page.get_by_role("button", name="Only with differing results").click()
    # 200 threads are compared
    expect(page.get_by_text(f"{len(mixed)} tasks;")).to_be_visible(timeout=30_000)
    page.get_by_role("button", name=f"▸ {mixed[0]['value']}", exact=True).click()
    runs = mixed[0]["threads"]
    expect(page.get_by_role("link", name=runs[-1]["threadId"], exact=True)).to_be_visible()
    assert violations(page) == []
    name = f"Side by side: two runs of {mixed[0]['value']}"
    page.get_by_role("link", name=name, exact=True).click()
    ends = {run["threadId"]: run["verdict"] for run in runs}
    good = next(run for run, verdict in ends.items() if verdict == "succeeded")
    bad = next(run for run, verdict in ends.items() if verdict == "failed")
    for thread_id in (good, bad):
        expect(page.get_by_role("columnheader", name=thread_id)).to_be_visible()


def test_a_matrix_says_where_runs_part_and_a_cell_opens_its_run(
    page: Page, service: Service
) -> None:
    body = service.client.get("/v1/compare/matrix?filter=metadata.task:46").json()
    page.goto("/compare?by=task")
    page.get_by_role("link", name="Matrix of all runs of 1", exact=True).click()
    expect(page.get_by_role("heading", name="Matrix of metadata.task:1")).to_be_visible()
    page.goto("/compare?matrix=true&filter=metadata.task%3A46")
    grid = page.get_by_role("grid", name="Runs and steps")
    rows = grid.get_by_role("row")
    expect(rows).to_have_count(1 + 2 + len(body["rows"]))
    failing = [row for row in body["rows"] if row["verdict"] == "failed"]
    expect(grid.get_by_text(f"{len(failing)} runs failed", exact=True)).to_be_visible()
    widest = max(column["separation"] for column in body["columns"])
    number = [column["separation"] for column in body["columns"]].index(widest)
    ways = page.get_by_role("region", name="Ways of the step")
    expect(ways).to_contain_text(f"Step {number + 1}: ")
    expect(ways).to_contain_text(f"part by {round(100 * widest)} %")
    assert violations(page) == []

    grid.focus()
    page.keyboard.press("Home")
    expect(ways).to_contain_text("Step 1: ")
    first = body["rows"][0]
    expect(page).to_have_url(re.compile(rf"run={first['threadId']}&column=0"))
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile(rf"run={body['rows'][1]['threadId']}&column=0"))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    version = first["cells"][0]["version"]
    expect(page).to_have_url(re.compile(rf"/threads/{first['threadId']}\?at={version}"))
    page.go_back()
    told = next(cell for cell in first["cells"] if cell["word"] == "told")
    name = body["columns"][told["column"]]["tools"][0]
    grid.get_by_role("gridcell", name=f"{name} A, told, version {told['version']}").click()
    expect(page).to_have_url(re.compile(rf"/threads/{first['threadId']}\?at={told['version']}"))


def test_of_two_hundred_runs_those_in_sight_are_drawn(page: Page) -> None:
    page.goto("/compare")
    page.get_by_label("A matrix of runs, by a filter").fill("")
    page.get_by_role("button", name="Show matrix").click()
    grid = page.get_by_role("grid", name="Runs and steps")
    expect(grid).to_be_visible(timeout=30_000)
    expect(page.get_by_text("200 runs")).to_be_visible()
    rows = grid.get_by_role("row")
    assert rows.count() < 70
    grid.evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
    expect(rows.last).to_be_in_viewport()
    assert rows.count() < 70


def test_a_key_that_no_thread_has_is_said(page: Page) -> None:
    page.goto("/compare?by=no-such-key")
    expect(page.get_by_text("No thread has the metadata key no-such-key.")).to_be_visible()


def test_recent_threads_with_many_words_of_metadata_do_not_overlap(
    page: Page, service: Service
) -> None:
    for number in range(3):
        metadata = {
            f"key{number}": "a long value of metadata, such as a path" for number in range(3)
        }
        body = {"threadId": f"wide-{number}", "goal": "Find it. " * 30, "metadata": metadata}
        service.client.post("/v1/threads", json=body).raise_for_status()
    catch_up(service)
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto("/compare")
        rows = page.get_by_role("region", name="Recent threads").get_by_role("listitem")
        first = rows.filter(has_text="wide-1")
        expect(first).to_contain_text("key0")
        assert first.evaluate(
            """row => {
                const { top, bottom, right } = row.getBoundingClientRect();
                return [...row.querySelectorAll("*")].every(part => {
                    const box = part.getBoundingClientRect();
                    return box.height === 0 || box.top >= top - 1 && box.bottom <= bottom + 1;
                });
            }"""
        )


def test_verdicts_stay_in_sight_beside_long_arguments_and_say_what_they_are(
    page: Page, service: Service
) -> None:
    for number, reward in enumerate((0, 1)):
        name = f"long-{number}"
        body = {"threadId": name, "metadata": {"chore": "long", "reward": reward}}
        service.client.post("/v1/threads", json=body).raise_for_status()
        args = {"text": f"{number} " * 400}
        call = {"id": "c", "name": "write", "args": args}
        service.append(name, {"type": "tool_calls", "calls": [call]})
    catch_up(service)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("/compare?by=chore&failed=metadata.reward%3A0")
    table = page.get_by_role("table", name="Tasks")
    for words in ("1 failed", "1 succeeded"):
        for badge in table.get_by_text(words).all():
            expect(badge).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="▸ long").click()
    for name, verdict in (("long-0", "failed"), ("long-1", "succeeded")):
        run = table.locator("span").filter(has=page.get_by_role("link", name=name, exact=True))
        expect(run.first).to_contain_text(f"{verdict} open")
    page.goto("/compare?by=metadata.chore&failed=metadata.rewrad%3A0")
    expect(page.get_by_role("status")).to_contain_text("No run has what metadata.rewrad:0 is about")
