"""Signed notes: as others write them, to the byte; whatever is changed is refused."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    InvalidVerifierKey,
    VerifierKey,
    check_signature,
    from_base64,
    open_note,
    origin_of,
    public_key_of,
    signed_note,
)

# of the documentation of golang.org/x/mod/sumdb/note
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "\u2014 PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
CHECKPOINT = Checkpoint("agentlog/tests", 20852163, bytes(range(32)))
NOTE = signed_note(CHECKPOINT, KEY)
VERIFIER = VerifierKey("agentlog/tests", public_key_of(KEY))


def test_a_note_of_the_first_implementation_is_verified() -> None:
    verifier = VerifierKey.parse(PETER)
    assert verifier.text == PETER
    check_signature(PETERS_NOTE, verifier)
    with pytest.raises(InvalidNote, match="one of the two was changed"):
        check_signature(PETERS_NOTE.replace("answer", "reply"), verifier)


def test_a_checkpoint_is_read_as_the_specification_shows_it() -> None:
    shown = (
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
        "\n\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN"
        "7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    )
    parsed = Checkpoint.parse(shown)
    assert (parsed.origin, parsed.size) == ("example.com/behind-the-sofa", 20852163)
    assert shown.startswith(parsed.text)


def test_what_was_signed_opens() -> None:
    assert open_note(NOTE, VERIFIER) == CHECKPOINT
    assert NOTE.startswith(CHECKPOINT.text + "\n\u2014 agentlog/tests ")


def test_signatures_of_witnesses_are_passed_over() -> None:
    other = Ed25519PrivateKey.generate()
    witness = signed_note(CHECKPOINT, other).rpartition("\n\n")[2]
    assert open_note(NOTE + witness, VERIFIER) == CHECKPOINT
    assert open_note(NOTE + "\u2014 agentlog/tests no base64\n", VERIFIER) == CHECKPOINT
    with pytest.raises(InvalidNote, match="another key has signed it"):
        open_note(signed_note(CHECKPOINT, other), VERIFIER)


def test_any_changed_character_is_refused() -> None:
    for place, character in enumerate(NOTE[:-1]):
        other = "B" if character == "A" else "A"
        with pytest.raises(InvalidNote):
            open_note(NOTE[:place] + other + NOTE[place + 1 :], VERIFIER)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a\n1\n",
        "a\n01\nAAAA",
        "a\n-1\n" + "A" * 43 + "=",
        "a\n1\n" + "A" * 44,
        "\n1\n" + "A" * 43 + "=",
        "a\n" + "9" * 5000 + "\n" + "A" * 43 + "=",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(InvalidNote):
        Checkpoint.parse(text)


@pytest.mark.parametrize(
    "text", ["", "a", "a+b", "a+c74f20a3+", "a+00000000+AQ==", PETER[:-1], PETER.replace("P", "Q")]
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(InvalidVerifierKey):
        VerifierKey.parse(text)


def test_base64_is_taken_in_one_spelling_only() -> None:
    assert from_base64("QQ==") == b"A"
    with pytest.raises(ValueError, match="bits that stand for nothing"):
        from_base64("QR==")
    for text in ("QQ", "QQ=", "QQ==\n", "Q Q==", "é"):
        with pytest.raises(ValueError, match=r"."):
            from_base64(text)


def test_a_name_has_neither_spaces_nor_plus_signs() -> None:
    origin = origin_of("Ada + Söhne\n")
    assert origin == "agentlog/Ada%20%2B%20S%C3%B6hne%0A"
    note = signed_note(Checkpoint(origin, 0, bytes(32)), KEY)
    verifier = VerifierKey.parse(VerifierKey(origin, public_key_of(KEY)).text)
    assert open_note(note, verifier).origin == origin
