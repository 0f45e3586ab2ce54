"""Foreign ids become ids of ours, always the same."""

from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.identifiers import (
    derived_message_id,
    is_message_id,
    is_thread_id,
    message_id_of,
)
from agentlog.infrastructure.transfer.threads import fitted
from agentlog_client.identifiers import derived_id, message_id, new_id, thread_id


def test_new_ids_are_those_of_messages_and_differ() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(map(is_message_id, ids))


@given(st.uuids())
def test_a_uuid_is_the_id_with_its_bits(uuid: UUID) -> None:
    assert {message_id(uuid), message_id(str(uuid)), message_id(uuid.hex)} == {
        message_id_of(uuid.int)
    }


@given(st.text())
def test_any_text_is_an_id_always_the_same(text: str) -> None:
    assert is_message_id(message_id(text))
    assert message_id(text) == message_id(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_derived_ids_are_those_of_imports(text: str) -> None:
    assert derived_id(text, 5) == derived_message_id(text, 5)


def test_an_id_of_ours_is_itself() -> None:
    ours = new_id()
    assert message_id(ours) == message_id(ours.lower()) == ours
    assert thread_id(str(uuid4())).count("-") == 4


@given(st.text() | st.text("a./: é", max_size=200))
def test_thread_ids_are_fitted_as_imports_fit_them(text: str) -> None:
    assert is_thread_id(thread_id(text))
    assert thread_id(text) == fitted(text)
