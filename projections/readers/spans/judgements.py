"""Scores of Langfuse and feedback of LangSmith as remarks on threads."""

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue, text_at

_LONGEST_WORD = 64


def remark_of_score(score: JsonObject) -> JsonObject:
    """Return a score of Langfuse as a remark; the whole score is in its metadata."""
    return _remark("langfuse", score, name=score.get("name"), value=score.get("value"))


def remark_of_feedback(feedback: JsonObject) -> JsonObject:
    """Return feedback of LangSmith as a remark; the whole feedback is in its metadata."""
    value, score = feedback.get("value"), feedback.get("score")
    given = value if score is None else score
    word = value if isinstance(value, str) and score is not None else None
    return _remark("langsmith", feedback, name=feedback.get("key"), value=given, word=word)


def _remark(
    source: str, whole: JsonObject, *, name: JsonValue, value: JsonValue, word: JsonValue = None
) -> JsonObject:
    """Return a judgement where there is a figure or a word, else a note with what was said.

    Its id derives from all of it: sent again it is a retry, sent otherwise it is another remark.
    """
    criterion, comment = _word(name), text_at(whole, "comment")
    remark: JsonObject = {
        "id": derived_message_id(source, print_text(whole)),
        "metadata": {"source": source, source: whole},
    }
    verdict = _word(value) or _word(word)
    score = int(value) if isinstance(value, bool) else value
    score = score if isinstance(score, int | float) else None
    if verdict is not None or score is not None:
        named: JsonObject = {} if criterion is None else {"criterion": criterion}
        why: JsonObject = {} if comment is None else {"comment": comment}
        return {
            "type": "thread.judged",
            **remark,
            **named,
            "verdict": verdict,
            "score": score,
            **why,
        }
    parts = [value if isinstance(value, str) else None if value is None else print_text(value)]
    content = "\n\n".join(part for part in (*parts, comment) if part and part.strip())
    text = ": ".join(part for part in (str(name or ""), content) if part)
    return {"type": "thread.noted", **remark, "text": text or print_text(whole)}


def _word(value: JsonValue) -> str | None:
    """Return a text where it can be a criterion or a verdict."""
    if not isinstance(value, str):
        return None
    word = " ".join(value.split())
    return word if 0 < len(word) <= _LONGEST_WORD else None
