import { kindOf } from "../../parts/kinds";
import type { StoredEvent } from "./events";
import type { Row } from "./rows";

const LONG_PAUSE_MS = 10_000;

/** Whether an event starts a turn: the user's input, or a model's next response. */
export function startsTurn(event: StoredEvent, before: StoredEvent | undefined): boolean {
  if (event.type === "input") return true;
  if (!isAgents(event.type)) return false;
  if (before === undefined || !isAgents(before.type)) return true;
  const [mine, its] = [event.metadata["responseId"], before.metadata["responseId"]];
  return mine !== undefined && its !== undefined && mine !== its;
}

/** Whether a turn starts in a run of folded events, as far as their types tell. */
export function hasTurn(run: Row, typeOf: (version: number) => string | null): boolean {
  const isAgentsAt = (version: number): boolean => isAgents(typeOf(version) ?? "");
  for (let version = run.first; version <= run.last; version += 1) {
    if (isAgentsAt(version) && !isAgentsAt(version - 1)) return true;
  }
  return false;
}

/** Milliseconds since the previous message if that is long; else, and for facts, null. */
export function pauseBefore(event: StoredEvent, before: StoredEvent | undefined): number | null {
  if (before === undefined || event.kind === "fact" || before.kind === "fact") return null;
  const passed = Number(event.message["timestamp"]) - Number(before.message["timestamp"]);
  return passed >= LONG_PAUSE_MS ? passed : null;
}

/** Whether events of a type are a model's output, or ask for it. */
function isAgents(type: string): boolean {
  return kindOf(type).isAgents === true;
}
