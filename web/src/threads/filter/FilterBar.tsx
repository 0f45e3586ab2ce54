import type { ReactNode } from "react";
import { type Command, useCommands } from "../../app/commands";
import { rankByName } from "../../app/palette/ranking";
import { count } from "../../parts/format";
import type { Change, ThreadsAddress } from "../address";
import { FilterForm } from "./FilterForm";
import { partsOf, toggle } from "../../parts/text/terms";
import { filterChange, filtersOf, NO_FILTERS } from "./filters";
import { SavedFilters } from "./SavedFilters";
import type { Seen } from "./seen";
import { TermsBox } from "./TermsBox";
import { useCount } from "../grid/threadRows";
import styles from "./FilterBar.module.css";

const TOGGLES = [
  { term: "failed", name: "Failed", title: "Failed by its score, or else by how it ended" },
  { term: "has:error", name: "With errors", title: "Something failed, or is told to have" },
  { term: "loops>0", name: "Loops", title: "It made the same calls again and again" },
  { term: "pending", name: "Needs approval", title: "A request for approval has no answer yet" },
  { term: "anomalies>0", name: "Anomalies", title: "A rule was broken" },
] as const;

interface FilterBarProps {
  readonly address: ThreadsAddress;
  readonly change: Change;
  readonly seen: Seen;
  /** Whether the list is loaded: further counts are asked for after it. */
  readonly isLoaded: boolean;
  readonly children?: ReactNode;
}

/** The filters of the list: to set, to see and to remove. */
export function FilterBar({ address, change, seen, isLoaded, children }: FilterBarProps) {
  useCommands("This list", (text) => rankByName(togglesAs(address, change), text));
  const isFiltered = address.filter !== undefined || address.hidden === true;
  return (
    <div className={styles["bar"]} role="group" aria-label="Filters">
      <TermsBox address={address} change={change} seen={seen} />
      <FilterForm address={address} change={change} seen={seen} />
      {TOGGLES.map((toggle) => (
        <Toggle key={toggle.term} {...toggle} {...{ address, change, isLoaded }} />
      ))}
      {address.hidden === true && (
        <button
          type="button"
          className={styles["chip"]}
          aria-label="Remove filter with hidden threads"
          onClick={() => {
            change({ hidden: undefined, row: undefined });
          }}
        >
          <span>with hidden threads</span> <span aria-hidden="true">✕</span>
        </button>
      )}
      {isFiltered && (
        <button
          type="button"
          className="quiet"
          onClick={() => {
            change({ ...NO_FILTERS, q: address.q, find: address.find });
          }}
        >
          Clear filters
        </button>
      )}
      <SavedFilters address={address} change={change} isLoaded={isLoaded} />
      <span className={styles["space"]} />
      {children}
    </div>
  );
}

/** The toggles as commands of the palette. */
function togglesAs(address: ThreadsAddress, change: Change): Command[] {
  const filter = address.filter ?? "";
  return TOGGLES.map(({ term, name }) => ({
    name: partsOf(filter).includes(term) ? `All threads, not: ${name}` : `Only threads: ${name}`,
    run: () => {
      change(filterChange(toggle(filter, term)));
    },
  }));
}

interface ToggleProps extends Pick<FilterBarProps, "address" | "change" | "isLoaded"> {
  readonly term: (typeof TOGGLES)[number]["term"];
  readonly name: string;
  readonly title: string;
}

function Toggle({ term, name, title, address, change, isLoaded }: ToggleProps) {
  const { filter = "" } = address;
  const isOn = partsOf(filter).includes(term);
  const other = toggle(filter, term);
  const counted = filtersOf({ ...address, filter: isOn ? filter : other });
  const matching = useCount(counted, { isEnabled: isLoaded });
  const tone = matching === null || matching === 0 ? "" : term === "failed" ? "bad" : "warn";
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={title}
      onClick={() => {
        change(filterChange(other));
      }}
    >
      {name}
      {address.find === undefined && (
        <>
          {" "}
          <span className={`badge ${tone}`}>{count(matching)}</span>
        </>
      )}
    </button>
  );
}
