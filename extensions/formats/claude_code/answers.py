"""The figures of the model's answers in a session of Claude Code.

One answer is several lines, which repeat its usage or let it grow. Its figures are told at the
first line with a stop reason; else once the next answer or the user's next words begin, or the
session ends, as far as it is read. Lines that come later and say others tell them again.
"""

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import number_at, object_at
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages.anthropic import answer
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item


class Answers:
    """What was told so far.

    `_told` has what was told of an answer besides its content, by its id; `_pending` the answer
    whose figures are held back and its line, of the session and of its sidechains.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._told: dict[str, Item] = {}
        self._pending: dict[bool, tuple[str, Fields, Item]] = {}

    def count(self, line: Fields, message: Fields, answer_id: str | None, of_draft: Item) -> None:
        """Tell the figures of a line's answer, or hold them back while they may grow."""
        self.end(line, but=answer_id)
        fields, side = message.left(), _is_side(line)
        known = None if answer_id is None else self._told.get(answer_id)
        highest = self._pending[side][1].item if side in self._pending else known or {}
        usage, before = fields.get("usage"), highest.get("usage")  # mostly the same again
        is_less = before != usage and _output(fields) < _output(highest)
        if answer_id is None:
            self._add(message, of_draft)
        elif known is None and isinstance(fields.get("stop_reason"), str) and not is_less:
            self._pending.pop(side, None)
            self._told[answer_id] = fields
            self._add(message, of_draft)
        elif known != fields:
            line.put("message", left(self._reading, message))
            is_told = known is not None and known.get("usage") == usage
            if not is_told and not is_less:
                self._pending[side] = (answer_id, message, of_draft)

    def end(self, line: Fields, but: str | None = None) -> None:
        """Tell what was held back, unless the line goes on with it."""
        answer_id, *_ = self._pending.get(_is_side(line), (but,))
        if answer_id != but:
            self._tell(_is_side(line))

    def tell(self) -> None:
        """Tell all that is held back."""
        for side in sorted(self._pending):
            self._tell(side)

    def _tell(self, side: bool) -> None:  # noqa: FBT001 - of a sidechain or not
        answer_id, message, of_draft = self._pending.pop(side)
        self._told[answer_id] = message.left()
        self._add(Fields(message.left(), message.place), of_draft)

    def _add(self, message: Fields, of_draft: Item) -> None:
        response = answer(message)
        if response is None:
            return
        if "id" in of_draft:
            of_draft = {**of_draft, "id": derived_message_id(str(of_draft["id"]), "answer")}
        untaken = left(self._reading, message)
        beside = Fields({"message": untaken} if untaken else {}, message.place)
        self._reading.add({**of_draft, **response}, beside)


def left(reading: Reading, message: Fields) -> Item:
    """Return what is left of a message, noting what the reader does not know."""
    untaken = message.left()
    reading.note(message, untaken)
    return untaken


def _output(message: Item) -> float:
    return number_at(object_at(message, "usage"), "output_tokens") or 0


def _is_side(line: Fields) -> bool:
    return line.item.get("isSidechain") is True
