"""Filters drawn at random."""

from hypothesis import strategies as st

from agentlog.projections.filters.expression import And, Expression, Not, Or, Term
from agentlog.projections.filters.terms import METADATA, PATH, TERMS

texts = st.one_of(
    st.text(min_size=1, max_size=8),
    st.sampled_from(["failed", "or", "a b", 'q"\\', "x*", "-a", "$.a", "metadata.a", "5", "null"]),
).filter(lambda text: bool(text.strip()))
numbers = st.one_of(
    st.integers(-(10**14), 10**14), st.floats(-1e12, 1e12).filter(lambda number: number % 1 != 0)
)
scalars = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8))
orders = st.sampled_from([">", ">=", "<", "<="])
paths = st.sampled_from(["$.a", "$.args.amount", "$..x", "$['a b'].c", '$["x"]', "$.a[?@.b > 1]"])


_always = st.booleans().map(lambda _: True)


def _scalar_terms(name: str, keys: st.SearchStrategy[str]) -> st.SearchStrategy[Term]:
    compared = st.builds(Term, st.just(name), st.just(":") | orders, scalars, keys)
    begun = st.builds(Term, st.just(name), st.just(":"), texts, keys, is_prefix=_always)
    return compared | begun


def _terms(name: str) -> st.SearchStrategy[Term]:
    operators = st.just(":") | orders
    if values := TERMS[name].values:
        return st.builds(Term, st.just(name), st.just(":"), st.sampled_from(values))
    match TERMS[name].kind:
        case "flag":
            return st.just(Term(name, ""))
        case "name" | "words":
            return st.builds(Term, st.just(name), st.just(":"), texts, is_prefix=st.booleans())
        case "duration":
            return st.builds(Term, st.just(name), operators, st.integers(0, 10**9))
        case "quantity":
            return st.builds(Term, st.just(name), operators, numbers)
        case "scalar" if name == METADATA:
            return _scalar_terms(name, texts)
        case _:
            return st.builds(Term, st.just(PATH), st.just(""), st.none(), paths) | _scalar_terms(
                name, paths
            )


success_paths = st.sampled_from(["inspect.score$.score.value", "a.b$['x y'][0].c"])


def expressions(names: list[str], place: str = "") -> st.SearchStrategy[Expression]:
    """Return filters of some terms."""
    of_messages = _scalar_terms(PATH, success_paths)
    terms = st.one_of(
        [of_messages if (name, place) == (PATH, "success") else _terms(name) for name in names]
    )
    return st.recursive(
        terms,
        lambda parts: st.one_of(
            st.builds(Not, parts),
            st.builds(And, st.lists(parts, min_size=2, max_size=3).map(tuple)),
            st.builds(Or, st.lists(parts, min_size=2, max_size=3).map(tuple)),
        ),
        max_leaves=6,
    )
