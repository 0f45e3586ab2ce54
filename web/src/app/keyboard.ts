import { useEffect, useRef, useSyncExternalStore } from "react";

/**
 * A key of the keyboard and what it does: `key` as in KeyboardEvent, `Shift+` before it. `isHeld`
 * says that the key is held down, and repeats.
 */
export interface Shortcut {
  readonly key: string;
  readonly does: string;
  readonly run: (isHeld: boolean) => void;
}

const groups = new Map<symbol, { title: string; shortcuts: readonly Shortcut[] }>();
const listeners = new Set<() => void>();
let known: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [];

function tell(): void {
  known = [...groups.values()];
  for (const listener of listeners) listener();
}

/** Returns all shortcuts in force, group by group, for the help. */
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
    groups.set(id, { title, shortcuts: latest.current });
    tell();
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event)) return;
      const pressed = `${event.shiftKey && event.key.length > 1 ? "Shift+" : ""}${event.key}`;
      const found = latest.current.find(({ key }) => key === pressed);
      if (found === undefined) return;
      event.preventDefault();
      found.run(event.repeat);
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
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector("dialog[open]") !== null) return true;
  if ([" ", "Enter"].includes(event.key) && target.closest("a, button, summary")) return true;
  if (["Home", "End"].includes(event.key) && scrolls(target)) return true;
  return target.isContentEditable || target.matches("input, textarea, select, [data-own-keys] *");
}

function scrolls(target: HTMLElement): boolean {
  const isClipped = target.scrollHeight > target.clientHeight;
  return isClipped && ["auto", "scroll"].includes(getComputedStyle(target).overflowY);
}
