import { useEffect, useState } from "react";

export interface Colours {
  readonly text: string;
  readonly line: string;
  readonly series: readonly string[];
}

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
  const found = { text: colourOf("soft"), line: colourOf("line"), series: SERIES.map(colourOf) };
  probe.remove();
  return found;
}
