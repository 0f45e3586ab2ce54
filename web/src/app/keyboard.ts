import { useEffect, useRef, useSyncExternalStore } from "react";

/**
 * A key of the keyboard and what it does: `key` as in KeyboardEvent, `Shift+` or `Ctrl+` before it;
 * Ctrl is ⌘ too, and works in fields. `isHeld` says that the key is held down, and repeats.
 */
export interface Shortcut {
  readonly key: string;
  readonly does: string;
  readonly run: (isHeld: boolean) => void;
}

const SHOWN: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  "Shift+ArrowLeft": "Shift ←",
  "Shift+ArrowRight": "Shift →",
  "Ctrl+k": "Ctrl K",
  " ": "Space",
};

/** The key as readers know it. */
export function shownKey(key: string): string {
  return SHOWN[key] ?? key;
}

const groups = new Map<symbol, { title: string; shortcuts: readonly Shortcut[] }>();
const listeners = new Set<() => void>();
let known: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [];

function tell(): void {
  const byTitle = Map.groupBy(groups.values(), ({ title }) => title);
  known = [...byTitle].map(([title, parts]) => {
    return { title, shortcuts: parts.flatMap(({ shortcuts }) => shortcuts) };
  });
  for (const listener of listeners) listener();
}

/** Returns all shortcuts in force, a group a title, for the help. */
export function useKnownShortcuts(): typeof known {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => known,
  );
}

/** Registers shortcuts while the component is mounted; the help lists them under the title. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  const names = shortcuts.map(({ key, does }) => `${key} ${does}`).join("\n");
  useEffect(() => {
    const id = Symbol(title);
    const run = (key: string) => (isHeld: boolean) => {
      latest.current.find((shortcut) => shortcut.key === key)?.run(isHeld);
    };
    const own = latest.current.map(({ key, does }) => ({ key, does, run: run(key) }));
    groups.set(id, { title, shortcuts: own });
    tell();
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey) return;
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand ? isInDialog() : isTyping(event)) return;
      const shift = event.shiftKey && event.key.length > 1 ? "Shift+" : "";
      const pressed = `${isCommand ? "Ctrl+" : ""}${shift}${event.key}`;
      const shortcut = latest.current.find(({ key }) => key === pressed);
      if (shortcut === undefined) return;
      event.preventDefault();
      shortcut.run(event.repeat);
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      groups.delete(id);
      tell();
    };
  }, [title, names]);
}

/** Whether a key press belongs to the focused element or to the browser. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (isInDialog()) return true;
  if ([" ", "Enter"].includes(event.key) && target.closest("a, button, summary")) return true;
  if (["Home", "End"].includes(event.key) && scrolls(target)) return true;
  return target.isContentEditable || target.matches("input, textarea, select, [data-own-keys] *");
}

function isInDialog(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

function scrolls(target: HTMLElement): boolean {
  const isClipped = target.scrollHeight > target.clientHeight;
  return isClipped && ["auto", "scroll"].includes(getComputedStyle(target).overflowY);
}
