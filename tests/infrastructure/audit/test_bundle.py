"""Bundles: what they prove with nothing else at hand, and whatever was done to them is named."""

import copy
import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agentlog.infrastructure.audit.bundle import InvalidBundle, check_bundle
from agentlog.infrastructure.audit.checkpoints import Checkpoints
from agentlog.infrastructure.audit.evidence import Evidence
from agentlog.infrastructure.audit.notes import Checkpoint, VerifierKey, public_key_of, signed_note
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import reply
from tests.infrastructure.audit.conftest import Owner

OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
LONG = 'é\x00\U0001f99c\\"' * 200


@pytest.fixture
def bundle(told: Threads, evidence: Evidence) -> Any:
    """The bundle of the thread `t`, read."""
    del told
    return json.loads("".join(evidence.of_thread("t", signing=True)))


def _whats(bundle: Any, **held: Any) -> list[str]:
    return [finding.what for finding in check_bundle(json.dumps(bundle).encode(), **held).findings]


def test_a_bundle_holds_the_thread_to_the_byte_and_is_whole(
    told: Threads, bundle: Any, checkpoints: Checkpoints
) -> None:
    events = told.messages("t")
    assert [b64decode(event["body"]) for event in bundle["events"]] == [
        event.body for event in events
    ]
    verdict = check_bundle(json.dumps(bundle).encode())
    assert (verdict.whole, verdict.findings) == (True, [])
    assert (verdict.tenant, verdict.thread_id, verdict.version) == ("tests", "t", len(events))
    latest = checkpoints.latest()
    assert verdict.size == latest.size
    held = {"public_key": checkpoints.public_key(), "held": Checkpoint.parse(latest.note)}
    assert _whats(bundle, **held) == []


def test_long_and_odd_contents_and_one_that_is_missing(
    threads: Threads, evidence: Evidence, owner: Owner
) -> None:
    threads.append(
        "t", [{"type": "system", "text": LONG}, reply(LONG * 50, metadata={"a": "\x00"})]
    )
    assert check_bundle("".join(evidence.of_thread("t", signing=True)).encode()).findings == []
    owner.do("DELETE FROM agentlog.blobs")
    verdict = check_bundle("".join(evidence.of_thread("t", signing=True)).encode())
    assert [(finding.what, finding.version) for finding in verdict.findings] == [
        ("content-missing", 1)
    ]
    assert not verdict.whole


def test_a_checkpoint_is_made_only_where_none_covers_the_thread(
    told: Threads, evidence: Evidence, checkpoints: Checkpoints
) -> None:
    made = checkpoints.make()
    told.append("beside", [reply("more")])
    bundle = json.loads("".join(evidence.of_thread("t", signing=True)))
    assert (bundle["checkpoint"], len(checkpoints.page())) == (made.note, 1)
    bundle = json.loads("".join(evidence.of_thread("beside", signing=True)))
    assert bundle["checkpoint"] == checkpoints.latest().note != made.note
    assert _whats(bundle) == []


def _set(name: str, value: Any, version: int = 5) -> Callable[[Any], None]:
    def change(bundle: Any) -> None:
        bundle["events"][version - 1][name] = value

    return change


def _drop(place: int) -> Callable[[Any], None]:
    return lambda bundle: bundle["events"].pop(place)


def _drop_last_and_say_so(bundle: Any) -> None:
    bundle["events"].pop()
    bundle["version"] -= 1


def _swap(bundle: Any) -> None:
    events = bundle["events"]
    events[3], events[4] = events[4], events[3]


def _sign_anew(bundle: Any) -> None:
    checkpoint = Checkpoint.parse(bundle["checkpoint"])
    bundle["checkpoint"] = signed_note(checkpoint, OTHER)


def _sign_anew_with_its_key(bundle: Any) -> None:
    _sign_anew(bundle)
    bundle["publicKey"] = VerifierKey("agentlog/tests", public_key_of(OTHER)).text


def _other_size(bundle: Any) -> None:
    bundle["checkpoint"] = bundle["checkpoint"].replace("\n4", "\n5", 1)


def _tenant(bundle: Any) -> None:
    bundle["tenant"] = "others"


def _path(bundle: Any) -> None:
    bundle["inclusion"]["path"][0] = b64encode(bytes(32)).decode()


def _proof_for_another_size(bundle: Any) -> None:
    bundle["inclusion"]["treeSize"] += 1


DEEDS: dict[str, tuple[Callable[[Any], None], str]] = {
    "an altered byte": (_set("body", b64encode(b"{}").decode()), "body-altered"),
    "altered metadata": (_set("metadata", b64encode(b"{}").decode()), "link-broken"),
    "another time": (_set("recordedAt", "2026-01-01T12:00:00.000001+00:00"), "link-broken"),
    "no time": (_set("recordedAt", None), "link-broken"),
    "another type": (_set("type", "input"), "link-broken"),
    "another hash": (_set("bodySha256", "00" * 32), "body-altered"),
    "a dropped event": (_drop(4), "version-missing"),
    "the first event dropped": (_drop(0), "version-missing"),
    "the last event dropped": (_drop(-1), "incomplete"),
    "the last event dropped, and said so": (_drop_last_and_say_so, "not-included"),
    "two events swapped": (_swap, "position-not-growing"),
    "a checkpoint of another key": (_sign_anew, "signature-invalid"),
    "a checkpoint of another size": (_other_size, "signature-invalid"),
    "another tenant": (_tenant, "other-checkpoint"),
    "another proof": (_path, "not-included"),
    "a proof for another size": (_proof_for_another_size, "not-included"),
}


@pytest.mark.parametrize(("deed", "what"), DEEDS.values(), ids=list(DEEDS))
def test_what_was_done_to_a_bundle_is_found_and_named(
    bundle: Any, deed: Callable[[Any], None], what: str
) -> None:
    changed = copy.deepcopy(bundle)
    deed(changed)
    assert changed != bundle
    assert what in _whats(changed)
    assert not check_bundle(json.dumps(changed).encode()).whole


def test_a_forger_with_a_key_of_his_own_is_found_by_who_holds_the_true_one(
    bundle: Any, checkpoints: Checkpoints
) -> None:
    _sign_anew_with_its_key(bundle)
    assert _whats(bundle) == []  # it is consistent in itself: whose key it is cannot be seen
    kinds = _whats(bundle, public_key=checkpoints.public_key())
    assert kinds == ["other-key", "signature-invalid"]


def test_a_swapped_checkpoint_is_found(
    told: Threads, bundle: Any, checkpoints: Checkpoints
) -> None:
    held = Checkpoint.parse(bundle["checkpoint"])
    told.append("beside", [reply("more")])
    bundle["checkpoint"] = checkpoints.make().note  # signed by the true key, but of another tree
    assert _whats(bundle) == ["not-included"]
    assert _whats(bundle, held=held) == ["not-included", "other-checkpoint"]


def test_any_changed_character_is_found(bundle: Any) -> None:
    text = json.dumps(bundle)
    verdicts = Counter[bool]()
    for place in range(0, len(text), 17):  # a thousand places
        for other in ("A", "0"):
            changed = text[:place] + other + text[place + 1 :]
            if changed == text:
                continue
            try:
                verdicts[check_bundle(changed.encode()).whole] += 1
            except InvalidBundle:
                verdicts[False] += 1
    assert set(verdicts) == {False}
    assert verdicts.total() > 500


_RESPELLINGS: dict[str, Callable[[str], str]] = {
    "a line break at the end": lambda text: text + "\n",
    "a line break at the start": lambda text: "\n" + text,
    "a space at the end": lambda text: text + " ",
    "upper case": str.upper,
    "without padding": lambda text: text.rstrip("="),
    "more padding": lambda text: text + "=",
    "base64 of URLs": lambda text: text.replace("+", "-").replace("/", "_"),
    "line breaks of Windows": lambda text: text.replace("\n", "\r\n"),
    "a line twice": lambda text: text + text[text.rstrip("\n").rfind("\n") + 1 :],
    "NUL at the end": lambda text: text + "\0",
}


def _values(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    match value:
        case dict() | list():
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in pairs:
                yield from _values(item, (*place, key))
        case str():
            yield place


def test_each_value_of_a_bundle_has_one_spelling(bundle: Any) -> None:
    for place in _values(bundle):
        for name, respelled in _RESPELLINGS.items():
            changed = copy.deepcopy(bundle)
            holder = reduce(lambda value, key: value[key], place[:-1], changed)
            holder[place[-1]] = respelled(holder[place[-1]])
            if changed != bundle:
                assert not _is_taken(json.dumps(changed)), (place, name)


def test_a_bundle_with_a_key_twice_is_refused(bundle: Any) -> None:
    text = json.dumps(bundle)
    for name, value in (
        *bundle.items(),
        *bundle["inclusion"].items(),
        *bundle["events"][0].items(),
    ):
        key = f"{json.dumps(name)}: "
        for twice in (f"{key}{json.dumps(value)}, {key}", f"{key}null, {key}"):
            assert not _is_taken(text.replace(key, twice, 1)), name
    assert _is_taken(text)
    assert not _is_taken(text + "{}")


def _is_taken(text: str) -> bool:
    try:
        return check_bundle(text.encode()).whole
    except InvalidBundle:
        return False


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"{}", b"\xff", b'{"format": "other"}'],
)
def test_what_is_no_bundle_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidBundle, match="agentlog evidence THREAD"):
        check_bundle(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", "agentlog-evidence-99"),
        ("publicKey", "none"),
        ("checkpoint", "none"),
        ("version", "1"),
        ("more", 1),
        ("inclusion", {"leafIndex": 0, "treeSize": 1, "path": ["no base64"]}),
    ],
)
def test_a_bundle_that_does_not_parse_says_why(bundle: Any, name: str, value: Any) -> None:
    with pytest.raises(InvalidBundle):
        check_bundle(json.dumps({**bundle, name: value}).encode())


@pytest.mark.parametrize(
    ("name", "value"),
    [("recordedAt", "yesterday"), ("recordedAt", "2026-01-01"), ("chain", "xy"), ("body", "é")],
)
def test_an_event_that_does_not_parse_says_why(bundle: Any, name: str, value: Any) -> None:
    bundle["events"][2][name] = value
    with pytest.raises(InvalidBundle):
        check_bundle(json.dumps(bundle).encode())
