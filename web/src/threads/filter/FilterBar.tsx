import type { ReactNode } from "react";
import { type Command, useCommands } from "../../app/commands";
import { ranked } from "../../app/palette/ranking";
import { count } from "../../parts/format";
import type { Change, ThreadsAddress } from "../address";
import { FilterForm } from "./FilterForm";
import { chips, filtersOf, NO_FILTERS } from "./filters";
import { SavedFilters } from "./SavedFilters";
import type { Seen } from "./seen";
import { TermsBox } from "./TermsBox";
import { useCount } from "../grid/threadRows";
import styles from "./FilterBar.module.css";

const TOGGLES = [
  { id: "failed", name: "Failed", title: "Failed by its score, or else by how it ended" },
  { id: "errors", name: "With errors", title: "A call failed, or the agent had an error" },
  { id: "loops", name: "Loops", title: "It made the same calls again and again" },
  { id: "pending", name: "Needs approval", title: "A request for approval has no answer yet" },
  { id: "anomalies", name: "Anomalies", title: "A rule was broken" },
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
  const found = chips(address);
  useCommands("This list", (text) => ranked(togglesAs(address, change), text));
  const isFiltered =
    address.filter !== undefined || TOGGLES.some(({ id }) => address[id]) || found.length > 0;
  return (
    <div className={styles["bar"]} role="group" aria-label="Filters">
      <TermsBox address={address} change={change} seen={seen} />
      <FilterForm address={address} change={change} seen={seen} />
      {TOGGLES.map((toggle) => (
        <Toggle key={toggle.id} {...toggle} {...{ address, change, isLoaded }} />
      ))}
      {found.map(({ words, without }) => (
        <button
          key={words}
          type="button"
          className={styles["chip"]}
          aria-label={`Remove filter ${words}`}
          onClick={() => {
            change({ ...without, row: undefined });
          }}
        >
          <span>{words}</span> <span aria-hidden="true">✕</span>
        </button>
      ))}
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
  return TOGGLES.map(({ id, name }) => ({
    name: address[id] ? `All threads, not: ${name}` : `Only threads: ${name}`,
    run: () => {
      change({ [id]: address[id] ? undefined : true, row: undefined });
    },
  }));
}

interface ToggleProps extends Pick<FilterBarProps, "address" | "change" | "isLoaded"> {
  readonly id: (typeof TOGGLES)[number]["id"];
  readonly name: string;
  readonly title: string;
}

function Toggle({ id, name, title, address, change, isLoaded }: ToggleProps) {
  const matching = useCount(filtersOf({ ...address, [id]: true }), { isEnabled: isLoaded });
  const isOn = address[id] === true;
  const tone = matching === null || matching === 0 ? "" : id === "failed" ? "bad" : "warn";
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={title}
      onClick={() => {
        change({ [id]: isOn ? undefined : true, row: undefined });
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
