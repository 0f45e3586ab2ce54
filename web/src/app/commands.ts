import { useEffect, useRef } from "react";

/** What the palette offers: a name, the key that does the same, and what it does. */
export interface Command {
  readonly name: string;
  readonly keys?: string;
  readonly run: () => void;
}

/** What a screen offers for a text, best first; for an empty text its most usual. */
export type CommandSource = (text: string) => readonly Command[];

const sources = new Map<symbol, { title: string; source: CommandSource }>();

/** Offers commands in the palette while the component is mounted. */
export function useCommands(title: string, source: CommandSource): void {
  const latest = useRef(source);
  useEffect(() => {
    latest.current = source;
  });
  useEffect(() => {
    const id = Symbol(title);
    sources.set(id, { title, source: (text) => latest.current(text) });
    return () => {
      sources.delete(id);
    };
  }, [title]);
}

/** Returns what the open screens offer, group by group. */
export function commandGroups(text: string): { title: string; commands: readonly Command[] }[] {
  return [...sources.values()].map(({ title, source }) => ({ title, commands: source(text) }));
}
