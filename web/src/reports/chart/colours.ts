import { useEffect, useState } from "react";

export interface Colours {
  readonly text: string;
  readonly line: string;
  /** Of series that are no columns. */
  readonly series: readonly string[];
  /** Of a column, by what it counts; undefined where that has no colour. */
  readonly ofColumn: (column: string) => string | undefined;
}

/** What columns count, in the colours that the rest of the page has for it. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/fail|error|denied/, "bad"],
  [/suspect|loop|anomal/, "warn"],
  [/succeeded|granted/, "ok"],
  [/cost/, "accent"],
  [/token|model/, "model"],
  [/approv|wait/, "person"],
  [/worker/, "worker"],
  [/call|latency/, "tool"],
];

const SERIES = [
  "accent",
  "tool",
  "model",
  "person",
  "worker",
  "user",
  "ok",
  "bad",
  "key",
  "number",
];

/** The design's colours as a canvas takes them, read again when the theme changes. */
export function useColours(): Colours {
  const [colours, setColours] = useState(current);
  useEffect(() => {
    const renew = (): void => {
      setColours(current());
    };
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", renew);
    const chosen = new MutationObserver(renew);
    chosen.observe(document.documentElement, { attributeFilter: ["style"] });
    return () => {
      system.removeEventListener("change", renew);
      chosen.disconnect();
    };
  }, []);
  return colours;
}

/** A CSS variable holds both themes; the computed style of an element has the current one. */
function current(): Colours {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colourOf = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const meanings = MEANINGS.map(([pattern, name]) => [pattern, colourOf(name)] as const);
  const ofColumn = (column: string): string | undefined =>
    meanings.find(([pattern]) => pattern.test(column))?.[1];
  const series = SERIES.map(colourOf);
  const colours = { text: colourOf("soft"), line: colourOf("line"), series, ofColumn };
  probe.remove();
  return colours;
}
