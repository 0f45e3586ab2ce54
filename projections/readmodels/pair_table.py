"""Read models with a row for each ask of a kind, with its answer, and for each answer alone."""

from abc import abstractmethod
from datetime import datetime
from typing import Annotated, ClassVar, TypeVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import RuntimeErrorMessage
from agentlog.projections.outcomes.pairs import (
    MOST_OPEN,
    Answer,
    Ask,
    Kind,
    Open,
    answers_in,
    asks_in,
    elapsed_ms,
)
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row
from agentlog.projections.values import milliseconds, sent_at

AnsweredSentAt = Annotated[datetime | None, "when that message was sent, by the producer's clock"]


class PairRow(Row):
    """Columns of all of these rows; the class of a table's rows says where each stands."""

    __slots__ = ()

    answered_version: int | None
    answered_position: int | None
    answered_at: datetime | None
    answered_sent_at: datetime | None
    outcome: str | None


PairRowT = TypeVar("PairRowT", bound=PairRow)


class PairTable(ReadModel[PairRowT]):
    """Asks of a kind in order, each with its answer."""

    kind: ClassVar[Kind]

    @abstractmethod
    def row(
        self, event: Event, rows: ThreadRows[PairRowT], ordinal: int, named: Ask | Answer
    ) -> PairRowT:
        """Return an open row of an ask, or of an answer alone, with what it is named by."""

    @abstractmethod
    def ask_of(self, row: PairRowT) -> Ask:
        """Return the ask of an open row."""

    @abstractmethod
    def ask(self, row: PairRowT, event: Event, ordinal: int) -> None:
        """Write what an event asks for into a row."""

    @abstractmethod
    def answer(self, row: PairRowT, event: Event, answer: Answer, ordinal: int) -> None:
        """Write what an answer says into a row."""

    def tell_again(self, event: Event, rows: ThreadRows[PairRowT], answer: Answer) -> bool:
        """Write what an answer of no ask says into the row that it answered before, if it did."""
        del event, rows, answer
        return False

    @override
    def fold(self, event: Event, rows: ThreadRows[PairRowT]) -> None:
        asks = asks_in(event)
        if asks and asks[0].kind == self.kind:
            made = [self.row(event, rows, ordinal, ask) for ordinal, ask in enumerate(asks)]
            for ordinal, row in enumerate(made):
                self.ask(row, event, ordinal)
            rows.memory = self._open(rows).ask(asks, made)
            rows.added += made
        elif not asks:
            for ordinal, answer in enumerate(answers_in(event)):
                if answer.kind == self.kind:
                    self._answer(event, rows, ordinal, answer)

    def _open(self, rows: ThreadRows[PairRowT]) -> Open[PairRowT]:
        kept: Open[PairRowT] | None = rows.memory
        if kept is not None:
            return kept
        return Open[PairRowT]().ask(map(self.ask_of, rows.open), rows.open)

    def _answer(
        self, event: Event, rows: ThreadRows[PairRowT], ordinal: int, answer: Answer
    ) -> None:
        # only here, where all open rows are known: a batch without answers does not read them
        excess, left = self._open(rows).within(MOST_OPEN[self.kind])
        for unanswered in excess:
            unanswered.is_open = False
            rows.change(unanswered)
        row, rows.memory = left.answer(answer)
        if row is not None:
            rows.change(row)
        elif isinstance(event.message, RuntimeErrorMessage) or self.tell_again(event, rows, answer):
            return
        else:
            row = self.row(event, rows, ordinal, answer)
            rows.added.append(row)
        row.is_open = False
        row.answered_version = event.version
        row.answered_position = event.position
        row.answered_at = event.recorded_at
        row.answered_sent_at = sent_at(event)
        row.outcome = answer.outcome
        self.answer(row, event, answer, ordinal)
        self.settle(row, event, rows)

    def settle(self, row: PairRowT, event: Event, rows: ThreadRows[PairRowT]) -> None:
        """Settle how an answered row stands to other rows of the tenant."""


def measured(begun: datetime | None, ended: int) -> float | None:
    """Return the milliseconds from an ask to its answer, by the producer's clock."""
    elapsed = elapsed_ms(milliseconds(begun), ended)
    return None if elapsed is None else float(elapsed)
