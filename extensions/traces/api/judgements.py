"""Scores of Langfuse and feedback of LangSmith as remarks on threads."""

from hashlib import sha256

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue, text_at

_LONGEST_WORD = 64
_DIGEST_DIGITS = 8


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
    comment = text_at(whole, "comment")
    remark: JsonObject = {
        "id": derived_message_id(source, print_text(whole)),
        "metadata": {"source": source, source: whole},
    }
    verdict = _word(value) or _word(word)
    score = int(value) if isinstance(value, bool) else value
    score = score if isinstance(score, int | float) else None
    if verdict is not None or score is not None:
        why: JsonObject = {} if comment is None else {"comment": comment}
        return {
            "type": "thread.judged",
            **remark,
            # without a criterion it would be the verdict on the run as a whole
            "criterion": _criterion(name) or source,
            "verdict": verdict,
            "score": score,
            **why,
        }
    parts = [value if isinstance(value, str) else None if value is None else print_text(value)]
    content = "\n\n".join(part for part in (*parts, comment) if part and part.strip())
    text = ": ".join(part for part in (str(name or ""), content) if part)
    return {"type": "thread.noted", **remark, "text": text or print_text(whole)}


def _criterion(name: JsonValue) -> str | None:
    """Return a name as a criterion; of one that is too long, the beginning and a digest."""
    if not isinstance(name, str) or not name.strip():
        return None
    whole = " ".join(name.split())
    digest = sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    begin = whole[: _LONGEST_WORD - _DIGEST_DIGITS - 1]
    return whole if len(whole) <= _LONGEST_WORD else f"{begin}…{digest}"


def _word(value: JsonValue) -> str | None:
    """Return a text where it can be a verdict."""
    if not isinstance(value, str):
        return None
    word = " ".join(value.split())
    return word if 0 < len(word) <= _LONGEST_WORD else None
