"""Parameters of before there was one language of filters: refused, with the filter to write.

They answer so for one version; then this module goes.
"""

from collections.abc import Collection, Iterable

from agentlog.api.filters import metadata_value
from agentlog.domain.errors import InvalidInput
from agentlog.projections.filters.expression import And, Expression, Or, Term, print_filter

_METADATA = "metadata."


class OldSpelling(InvalidInput):
    """The parameter has become a term of the filter, which the detail spells out."""

    def __init__(self, names: Collection[str], filter_text: str, *, form: str) -> None:
        parameters = ", ".join(name[:64] for name in names)
        super().__init__(f"{parameters}: write {form.format(filter_text)}")
        self.filter_text = filter_text


_NAMES = frozenset(
    "tool action command error_class outcome model provider finish_reason rule actor error_code "
    "status judged verdict policy label thread parent".split()
)
"""Parameters of reports that were filters."""


def refuse_old(pairs: Iterable[tuple[str, str]], *, form: str = "filter={}") -> None:
    """Refuse names and values of which some were filters, as tool or metadata.KEY.

    Raises:
        OldSpelling: with the filter that asks for the same: values of one name are alternatives.
    """
    terms: dict[str, list[Expression]] = {}
    for name, value in pairs:
        if name.startswith(_METADATA):
            scalar = metadata_value(value)
            wanted = value if isinstance(scalar, dict | list) else scalar
            key = name.removeprefix(_METADATA)
            terms.setdefault(name, []).append(Term("metadata", ":", wanted, key=key))
        elif name in _NAMES:
            terms.setdefault(name, []).append(Term(name, ":", value))
    if terms:
        parts = [Or(tuple(parts)) if len(parts) > 1 else parts[0] for parts in terms.values()]
        whole = parts[0] if len(parts) == 1 else And(tuple(parts))
        raise OldSpelling(terms, print_filter(whole), form=form)
