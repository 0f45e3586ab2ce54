"""The model's answers in a session of Claude Code, each counted once.

One answer is several lines, which repeat its usage: it is counted at the first line with a stop
reason. Without one the figures may still grow, and the answer is counted when the next one or the
user's next words begin. Versions before 2 never wrote a stop reason: there the last answer is
counted at the end.
"""

from agentlog.domain.identifiers import derived_message_id
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages.anthropic import answer
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item


class Answers:
    """What was counted so far.

    `_counted` has what is said of an answer besides its content, by its id; `_pending` the answer
    that is not counted yet and its line, of the session and of its sidechains.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._counted: dict[str, Item] = {}
        self._pending: dict[bool, tuple[str, Fields, Item]] = {}

    def count(self, line: Fields, message: Fields, answer_id: str | None, of_draft: Item) -> None:
        """Count the answer of a line, or hold its figures back while they may grow."""
        self.end(line, but=answer_id)
        fields, side = message.left(), _is_side(line)
        if answer_id is None:
            self._add(message, of_draft)
        elif answer_id not in self._counted and isinstance(fields.get("stop_reason"), str):
            self._pending.pop(side, None)
            self._counted[answer_id] = fields
            self._add(message, of_draft)
        elif self._counted.get(answer_id) != fields:
            line.put("message", left(self._reading, message))
            if answer_id not in self._counted:
                self._pending[side] = (answer_id, message, of_draft)

    def end(self, line: Fields, but: str | None = None) -> None:
        """Count the answer that was held back, unless the line goes on with it."""
        answer_id, message, of_draft = self._pending.get(_is_side(line), (None, None, {}))
        if answer_id is None or message is None or answer_id == but:
            return
        del self._pending[_is_side(line)]
        self._counted[answer_id] = message.left()
        self._add(Fields(message.left(), message.place), of_draft)

    def count_last(self) -> None:
        """Count the answers that were held back, where no line of the file has a stop reason."""
        if any(isinstance(fields.get("stop_reason"), str) for fields in self._counted.values()):
            return
        for _, message, of_draft in self._pending.values():
            self._add(Fields(message.left(), message.place), of_draft)
        self._pending = {}

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


def _is_side(line: Fields) -> bool:
    return line.item.get("isSidechain") is True
