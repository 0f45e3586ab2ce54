import { keysOf, oneIn } from "../../app/address";
import { quote } from "../../parts/text/terms";
import { CLOCKS } from "../address";
import type { ReportRow, ReportTerms } from "../queries";
import { OneLine } from "./OneLine";
import { useReportAddress } from "./useReportAddress";

interface FiltersProps {
  readonly terms: ReportTerms;
  /** The rows there are, whose values are offered. */
  readonly rows: readonly ReportRow[];
}

/** Which rows count: by the values of columns, and from when to when. */
export function Filters({ terms, rows }: FiltersProps) {
  const { address, change } = useReportAddress();
  const only = address.only ?? [];
  return (
    <div role="group" aria-label="Filters">
      <span>Only</span>
      {only.map((filter) => (
        <button
          key={filter}
          type="button"
          aria-pressed="true"
          title="Remove this filter"
          onClick={() => {
            const left = only.filter((other) => other !== filter);
            change({ only: left.length === 0 ? undefined : left });
          }}
        >
          {filter} ✕
        </button>
      ))}
      <OneLine
        label="Add a filter"
        hint={`${terms.filters[0] ?? "thread"}:…`}
        known={valueFilters(terms, rows)}
        onGive={(text) => {
          if (!only.includes(text)) change({ only: [...only, text] });
        }}
      />
      <Day
        label="From"
        value={address.from}
        onGive={(from) => {
          change({ from });
        }}
      />
      <Day
        label="To"
        value={address.to}
        onGive={(to) => {
          change({ to });
        }}
      />
      {terms.clocks.length > 1 && (
        <label>
          when{" "}
          <select
            value={address.clock ?? "recorded"}
            onChange={({ target }) => {
              const clock = oneIn(keysOf(CLOCKS), target.value);
              change({ clock: clock === "recorded" ? undefined : clock });
            }}
          >
            {keysOf(CLOCKS).map((clock) => (
              <option key={clock} value={clock}>
                {CLOCKS[clock]}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

/** Filters by the values in sight. */
function valueFilters({ filters }: ReportTerms, rows: readonly ReportRow[]): string[] {
  const values = filters.flatMap((name) =>
    rows
      .map((row) => row[name])
      .filter((value) => typeof value === "string")
      .map((value) => `${name}:${quote(value)}`),
  );
  return [...new Set(values), ...filters.map((name) => `${name}:`)].slice(0, 200);
}

interface DayProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onGive: (day: string | undefined) => void;
}

function Day({ label, value, onGive }: DayProps) {
  return (
    <label>
      {label}{" "}
      <input
        type="date"
        value={value?.slice(0, 10) ?? ""}
        title={label === "To" ? "Up to this day, without it; UTC" : "From this day on; UTC"}
        onChange={({ target }) => {
          onGive(target.value === "" ? undefined : target.value);
        }}
      />
    </label>
  );
}
