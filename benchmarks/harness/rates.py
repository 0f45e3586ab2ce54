"""Rates: how many a second, in runs that are taken in turn, and what is asked of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from agentlog.domain.json.values import JsonValue
from benchmarks.harness.figures import Role
from benchmarks.harness.table import Table, milliseconds


@dataclass(frozen=True, slots=True)
class Run:
    """One run: how many a second, how long each took (seconds), the most memory seen (bytes)."""

    per_second: float
    p50: float | None = None
    p99: float | None = None
    memory: int | None = None


@dataclass(slots=True)
class Rate:
    """How many of one thing were done a second, in each run."""

    what: str
    role: Role
    runs: list[Run] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """The median of all runs."""
        return median(run.per_second for run in self.runs)

    @property
    def spread(self) -> str:
        """The slowest and the quickest run, for people."""
        rates = [run.per_second for run in self.runs]
        return f"{min(rates):,.0f} to {max(rates):,.0f}"

    def times(self, other: "Rate") -> list[float]:
        """Return the multiple of another rate, of each run by itself."""
        pairs = zip(self.runs, other.runs, strict=True)
        return [ours.per_second / theirs.per_second for ours, theirs in pairs]

    def middle(self, value: Callable[[Run], float | None]) -> float | None:
        """Return the median over runs of a value that each of them has, or None."""
        values = [rate for run in self.runs if (rate := value(run)) is not None]
        return median(values) if values else None


@dataclass(frozen=True, slots=True)
class Aim:
    """What is asked of a value: at least, and better. More is better where the aim is more."""

    what: str
    value: float
    least: float
    aim: float
    unit: str

    @property
    def verdict(self) -> str:
        """Say how far the value came."""
        sign = 1 if self.aim > self.least else -1
        if sign * self.value >= sign * self.aim:
            return "aim met"
        return "met" if sign * self.value >= sign * self.least else "missed"


def rate_table(
    title: str, about: str, rates: Sequence[Rate], *, beside: Mapping[str, Rate]
) -> Table:
    """Return rates as a table, each as a multiple of those in `beside`."""
    headings = ["what", "whose", "a second", "spread", "p50 ms", "p99 ms", "memory MB"]
    return Table(
        title,
        about,
        [*headings, *(f"times {name}" for name in beside)],
        [_row(rate, list(beside.values())) for rate in rates],
        [_json(rate, beside) for rate in rates],
    )


def aims_table(title: str, aims: Sequence[Aim]) -> Table:
    """Return what is asked, and how far it is met."""
    return Table(
        title,
        "Medians of the multiples of each run, and of the runs' own percentiles.",
        ["what", "measured", "at least", "aim", ""],
        [
            [
                aim.what,
                f"{aim.value:.2f} {aim.unit}",
                f"{aim.least:g} {aim.unit}",
                f"{aim.aim:g} {aim.unit}",
                aim.verdict,
            ]
            for aim in aims
        ],
        [
            {
                "what": aim.what,
                "value": aim.value,
                "unit": aim.unit,
                "atLeast": aim.least,
                "aim": aim.aim,
                "verdict": aim.verdict,
            }
            for aim in aims
        ],
    )


def _row(rate: Rate, beside: Sequence[Rate]) -> list[str]:
    memory = rate.middle(lambda run: run.memory)
    return [
        rate.what,
        rate.role,
        f"{rate.per_second:,.0f}",
        rate.spread,
        *(
            "" if value is None else milliseconds(value)
            for value in (rate.middle(lambda run: run.p50), rate.middle(lambda run: run.p99))
        ),
        "" if memory is None else f"{memory / 1e6:,.0f}",
        *(f"{median(rate.times(other)):.2f}" for other in beside),
    ]


def _json(rate: Rate, beside: Mapping[str, Rate]) -> JsonValue:
    return {
        "what": rate.what,
        "whose": rate.role,
        "runs": [
            {"perSecond": run.per_second, "p50": run.p50, "p99": run.p99, "memory": run.memory}
            for run in rate.runs
        ],
        "times": {name: [*rate.times(other)] for name, other in beside.items()},
    }
