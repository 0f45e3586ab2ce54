import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { count } from "../../parts/format";
import { suggestions } from "../../parts/text/terms";
import { savedQuery } from "../../threads/filter/saved";
import { useCursor } from "../cursor";
import type { useHits } from "../hits";
import type { ThreadTimeline } from "../timeline/timeline";
import styles from "./history.module.css";
import { termsOf } from "./terms";

const PAUSE_MS = 300;

interface FindProps {
  readonly timeline: ThreadTimeline;
  readonly hits: ReturnType<typeof useHits>;
}

/** The field for a filter of events, how many match it, and the way from one to the next. */
export function Find({ timeline, hits }: FindProps) {
  const id = useId();
  const [isUsed, setUsed] = useState(false);
  const { data: saved = [] } = useQuery({ ...savedQuery("thread"), enabled: isUsed });
  const terms = useMemo(() => termsOf(timeline.types(), timeline.tools()), [timeline]);
  const { at, address, go } = useCursor();
  const [text, setText] = useFilterText();
  const field = useRef<HTMLInputElement>(null);
  const { versions, areMore, error, isPending } = hits;
  const focus = (): void => {
    field.current?.focus();
  };
  useShortcuts("History", [
    { key: "/", does: "find text or terms", run: focus },
    { key: "f", does: "find text or terms", run: focus },
  ]);
  const next = versions.find((version) => version > at) ?? versions[0];
  const before = versions.findLast((version) => version < at) ?? versions.at(-1);
  const number = versions.indexOf(at) + 1;
  const total = `${count(versions.length)}${areMore ? "+" : ""}`;
  const said = number > 0 ? `${count(number)} of ${total}` : versions.length === 0 ? "none" : total;
  return (
    <div className={styles["find"]} role="search">
      <input
        ref={field}
        type="search"
        aria-label="Find text or terms"
        placeholder="Find ( / )"
        title="Words and terms, as tool:pay failed, took>5s, $.args.amount>1000; or, -, ( )"
        list={id}
        maxLength={2000}
        spellCheck={false}
        value={text}
        onFocus={() => {
          setUsed(true);
        }}
        onChange={({ target }) => {
          setText(target.value);
        }}
        onKeyDown={({ key, shiftKey, currentTarget }) => {
          const to = shiftKey ? before : next;
          if (key === "Enter" && to !== undefined) go(to);
          else if (key === "Escape") currentTarget.blur();
        }}
      />
      <datalist id={id}>
        {saved.map(({ name, filter }) => (
          <option key={name} value={filter} label={name} />
        ))}
        {suggestions(text, terms).map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      {address.find !== undefined && (
        <>
          <small role="status">{error === null && (isPending ? "…" : said)}</small>
          <Way label="Match before" sign="↑" to={before} />
          <Way label="Match after" sign="↓" to={next} />
        </>
      )}
    </div>
  );
}

/** The filter as it is typed: what stands still is applied, what is set elsewhere is taken over. */
function useFilterText() {
  const { address, change } = useCursor();
  const query = address.find ?? "";
  const [text, setText] = useState(query);
  const [applied, setApplied] = useState(query);
  const [known, setKnown] = useState(query);
  if (query !== known) {
    setKnown(query);
    if (query !== applied) {
      setApplied(query);
      setText(query);
    }
  }
  useEffect(() => {
    const find = text.trim() === "" ? undefined : text.trim();
    if (find === address.find) return;
    const timer = setTimeout(() => {
      setApplied(find ?? "");
      change(
        { find, ...(find === undefined && address.only === "hit" && { only: undefined }) },
        { replace: true },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text, address.find, address.only, change]);
  return [text, setText] as const;
}

interface WayProps {
  readonly label: string;
  readonly sign: string;
  /** The version that it leads to. */
  readonly to: number | undefined;
}

function Way({ label, sign, to }: WayProps) {
  const { go } = useCursor();
  return (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      disabled={to === undefined}
      onClick={() => {
        if (to !== undefined) go(to);
      }}
    >
      {sign}
    </button>
  );
}
