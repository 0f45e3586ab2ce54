import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { Problem } from "../../api/problem";
import { count } from "../../parts/format";
import { useCursor } from "../cursor";
import type { useHits } from "../hits";
import styles from "./history.module.css";

const PAUSE_MS = 300;

/** The field for text to find, how many events have it, and the way from one to the next. */
export function Find({ hits }: { hits: ReturnType<typeof useHits> }) {
  const { at, address, go, change } = useCursor();
  const [text, setText] = useState(address.find ?? "");
  const field = useRef<HTMLInputElement>(null);
  const { versions, areMore, error, isPending } = hits;
  const focus = (): void => {
    field.current?.focus();
  };
  useShortcuts("History", [
    { key: "/", does: "find text", run: focus },
    { key: "f", does: "find text", run: focus },
  ]);
  useEffect(() => {
    const find = text.trim() === "" ? undefined : text.trim();
    if (find === address.find) return;
    const timer = setTimeout(() => {
      change(
        { find, ...(find === undefined && address.only === "hit" && { only: undefined }) },
        { replace: true },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text, address.find, address.only, change]);
  const next = versions.find((version) => version > at) ?? versions[0];
  const before = versions.findLast((version) => version < at) ?? versions.at(-1);
  const place = versions.indexOf(at) + 1;
  const total = `${count(versions.length)}${areMore ? "+" : ""}`;
  const said = place > 0 ? `${count(place)} of ${total}` : versions.length === 0 ? "none" : total;
  return (
    <div className={styles["find"]} role="search">
      <input
        ref={field}
        type="search"
        aria-label="Find text"
        placeholder="Find ( / )"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
        onKeyDown={({ key, shiftKey, currentTarget }) => {
          const to = shiftKey ? before : next;
          if (key === "Enter" && to !== undefined) go(to);
          else if (key === "Escape") currentTarget.blur();
        }}
      />
      {address.find !== undefined && (
        <>
          <small role="status" title={error?.message}>
            {error === null ? (isPending ? "…" : said) : titleOf(error)}
          </small>
          {(
            [
              ["Match before", "↑", before],
              ["Match after", "↓", next],
            ] as const
          ).map(([label, sign, to]) => (
            <button
              key={label}
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
          ))}
        </>
      )}
    </div>
  );
}

function titleOf(error: Error): string {
  return error instanceof Problem ? error.title : error.message;
}
