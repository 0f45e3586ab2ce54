import { getRouteApi } from "@tanstack/react-router";
import { useId, useState } from "react";
import { CLOCKS, filterOf, type ReportAddress } from "../address";
import { heading } from "../figures";
import type { ReportRow, ReportTerms } from "../queries";
import styles from "../reports.module.css";

const route = getRouteApi("/reports/$name");
/** Breakdowns that the service takes in one request, at most. */
const MOST_BY = 4;
const METADATA = "metadata.KEY";

interface ChoicesProps {
  readonly terms: ReportTerms;
  /** The rows there are, whose values are offered for filters. */
  readonly rows: readonly ReportRow[];
}

/** What rows are about, from when to when, and only which. */
export function Choices({ terms, rows }: ChoicesProps) {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: { [K in keyof ReportAddress]?: ReportAddress[K] | undefined }): void => {
    void navigate({ search: (before) => ({ ...before, ...part }) as object });
  };
  const by = address.by ?? terms.by;
  const only = address.only ?? [];
  const setBy = (next: string[]): void => {
    // the order may name a column of the old breakdown
    change({ by: next.length === 0 ? undefined : next, order: undefined });
  };
  return (
    <div className={styles["choices"]}>
      {terms.breakdowns.length > 0 && (
        <div role="group" aria-label="Rows by">
          <span>By</span>
          {[...by.filter((name) => !terms.breakdowns.includes(name)), ...terms.breakdowns]
            .filter((name) => name !== METADATA)
            .map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={by.includes(name)}
                disabled={!by.includes(name) && by.length >= MOST_BY}
                onClick={() => {
                  setBy(by.includes(name) ? by.filter((each) => each !== name) : [...by, name]);
                }}
              >
                {heading(name)}
              </button>
            ))}
          {terms.breakdowns.includes(METADATA) && by.length < MOST_BY && (
            <OneLine
              label="By a metadata key"
              hint="metadata key"
              known={[]}
              onGive={(key) => {
                setBy([...by, `metadata.${key.replace(/^metadata\./, "")}`]);
              }}
            />
          )}
        </div>
      )}
      <div role="group" aria-label="Filters">
        <span>Only</span>
        {only.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed="true"
            title="Remove this filter"
            onClick={() => {
              const left = only.filter((other) => other !== each);
              change({ only: left.length === 0 ? undefined : left });
            }}
          >
            {each} ✕
          </button>
        ))}
        <OneLine
          label="Add a filter"
          hint={`${terms.filters[0] ?? "thread"}=…`}
          known={known(terms, rows)}
          check={(text) => refused(text, terms)}
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
            by the clock of{" "}
            <select
              value={address.clock ?? "recorded"}
              onChange={({ target }) => {
                const clock = CLOCKS.find((each) => each === target.value);
                change({ clock: clock === "recorded" ? undefined : clock });
              }}
            >
              <option value="recorded">the log</option>
              <option value="sent">the producer</option>
            </select>
          </label>
        )}
      </div>
    </div>
  );
}

/** Filters by the values in sight. */
function known({ filters }: ReportTerms, rows: readonly ReportRow[]): string[] {
  const values = filters.flatMap((name) =>
    rows
      .map((row) => row[name])
      .filter((value) => typeof value === "string")
      .map((value) => `${name}=${value}`),
  );
  return [...new Set(values), ...filters.map((name) => `${name}=`)].slice(0, 200);
}

function refused(text: string, { filters }: ReportTerms): string {
  const [name, value] = filterOf(text);
  const isKnown =
    filters.includes(name) || (name.startsWith("metadata.") && filters.includes(METADATA));
  if (isKnown && value !== "") return "";
  return `NAME=VALUE; the names are ${filters.join(", ")}`;
}

interface OneLineProps {
  readonly label: string;
  readonly hint: string;
  readonly known: readonly string[];
  /** Says what is wrong with a text, or nothing. */
  readonly check?: (text: string) => string;
  readonly onGive: (text: string) => void;
}

function OneLine({ label, hint, known: values, check, onGive }: OneLineProps) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const list = useId();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const given = text.trim();
        const problem = given === "" ? "" : (check?.(given) ?? "");
        setWrong(problem);
        if (given === "" || problem !== "") return;
        onGive(given);
        setText("");
      }}
    >
      <input
        aria-label={label}
        aria-describedby={wrong === "" ? undefined : `${list}-wrong`}
        aria-invalid={wrong !== ""}
        list={list}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
      />
      <datalist id={list}>
        {values.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {wrong !== "" && (
        <small id={`${list}-wrong`} role="alert">
          {wrong}
        </small>
      )}
    </form>
  );
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
        title={label === "To" ? "That day counts no more; UTC" : "From that day on; UTC"}
        onChange={({ target }) => {
          onGive(target.value === "" ? undefined : target.value);
        }}
      />
    </label>
  );
}
