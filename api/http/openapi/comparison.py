"""OpenAPI schemas of comparisons."""

from typing import get_args

from api.http.openapi.parts import (
    ANY,
    INTEGER,
    NULLABLE_STRING,
    STRING,
    Schema,
    list_of,
    object_of,
    reference,
)
from infrastructure.comparison.run_sets import Verdict
from projections.comparison.alignment import Op

_BOOLEAN: Schema = {"type": "boolean"}
_TALLY = dict.fromkeys(("runs", "failed", "succeeded", "unknown"), INTEGER)


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_DID = _nullable(object_of(place=STRING, type=STRING, tools=list_of(STRING), hint=STRING))


COMPARISON_SHAPES: dict[str, Schema] = {
    "Comparisons": {
        **object_of(
            view=STRING,
            asOf=INTEGER,
            sides=list_of(
                object_of(
                    threadId=STRING,
                    version=INTEGER,
                    position={"type": ["integer", "null"]},
                    count=INTEGER,
                )
            ),
            divergence=_nullable(
                object_of(
                    equal=INTEGER,
                    branches=list_of(object_of(sides=list_of(INTEGER), did=_DID)),
                )
            ),
            comparisons=list_of(reference("Comparison")),
        ),
        "description": "`asOf` is the position of the log; `divergence` is where all sides first "
        "part: after `equal` equal items, each branch with its sides by number and what they did, "
        "null where they had ended.",
    },
    "Comparison": {
        **object_of(
            a=INTEGER,
            b=INTEGER,
            divergence=_nullable(object_of(equal=INTEGER, a=NULLABLE_STRING, b=NULLABLE_STRING)),
            counts=object_of(equal=INTEGER, changed=INTEGER, onlyA=INTEGER, onlyB=INTEGER),
            items=list_of(reference("ComparisonRow")),
            next=NULLABLE_STRING,
        ),
        "description": "Two sides, by number. `divergence` has the places of the first items that "
        "differ, null for a side that had ended.",
    },
    "ComparisonRow": {
        "type": "object",
        "properties": {
            "op": {"enum": list(get_args(Op))},
            "count": INTEGER,
            "a": ANY,
            "b": ANY,
            "changes": {"type": ["array", "null"], "items": {"type": "object"}},
        },
        "required": ["op", "count"],
        "description": "An item of a side or of both with its place, type, tools, hint, the item "
        "itself and whether it is cut; or a folded run of `count` equal items, with the places of "
        "the first and the last. `changes` is a JSON Patch (RFC 6902) of what the item says, with "
        "the words that differ as `edits`; null where that is too large.",
    },
    "ComparedSets": {
        **object_of(
            view=STRING,
            asOf=INTEGER,
            by=STRING,
            lacking=INTEGER,
            cut=_BOOLEAN,
            items=list_of(reference("ComparedSet")),
            next=NULLABLE_STRING,
        ),
        "description": "`lacking` counts threads without the key; `cut` says that older threads "
        "are left out.",
    },
    "ComparedSet": {
        **object_of(
            value=ANY,
            **_TALLY,
            threads=list_of(
                object_of(
                    threadId=STRING,
                    version=INTEGER,
                    end=STRING,
                    verdict={"enum": list(get_args(Verdict))},
                )
            ),
            partings=list_of(
                object_of(
                    equal=INTEGER,
                    branches=list_of(object_of(**_TALLY, threads=list_of(STRING), did=_DID)),
                )
            ),
            partingCount=INTEGER,
        ),
        "description": "The runs of one task. A parting: runs with `equal` equal items first, and "
        "the branches that they then take. `partings` has the earliest of `partingCount`.",
    },
}
