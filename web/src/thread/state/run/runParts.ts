import type { Json } from "../../../api/exact";
import type { StateAt } from "../../queries";
import { listOf, members, textOr } from "../model/modelMessage";
import { pathOfKey, sameJson, type StateKey, stateKeys } from "../stateChanges";

/** A part of the run's own state, with its members. */
export interface RunPart {
  readonly part: string;
  readonly title: string;
  readonly keys: readonly StateKey[];
}

/** The parts with members, in the order in which they are shown. */
const TITLES: Readonly<Record<string, string>> = {
  files: "Files",
  memory: "Memory",
  store: "Store",
  task: "Task state",
  graph: "Graph",
  session: "Session",
  environment: "Environment",
};

/** Names of members of the run's own state; no other state has them. */
const NAMES = new Set([...Object.keys(TITLES), "todos", "notApplied"]);

/** Returns the parts that two states have, with what the later one changed. */
export function runParts(before: StateAt, now: StateAt): RunPart[] {
  return Object.entries(TITLES)
    .map(([part, title]) => {
      const keys = stateKeys(members(before[part]), members(now[part]));
      return { part, title, keys };
    })
    .filter(({ keys }) => keys.length > 0);
}

/** A thing to do, and whether the event put it there or changed it. */
export interface Todo {
  readonly text: string;
  readonly status: string | null;
  readonly isChanged: boolean;
}

/** Returns the list of things to do. */
export function todosOf(before: StateAt, now: StateAt): Todo[] {
  const old = listOf(before["todos"]);
  return listOf(now["todos"]).map((item) => {
    const { text, status } = members(item);
    return {
      text: textOr(text ?? item, JSON.stringify(item)),
      status: typeof status === "string" ? status : null,
      isChanged: !old.some((earlier) => sameJson(earlier, item)),
    };
  });
}

/** What is known of a working file. */
export interface WorkingFile {
  readonly lines: number | null;
  readonly changes: number;
  readonly lastRead: number | null;
  readonly lastChanged: number | null;
  readonly isDeleted: boolean;
}

/** Reads a file of the state. */
export function workingFile(value: Json | undefined): WorkingFile {
  const { lines, changes, lastRead, lastChanged, deleted } = members(value);
  return {
    lines: numberOr(lines, null),
    changes: numberOr(changes, 0),
    lastRead: numberOr(lastRead, null),
    lastChanged: numberOr(lastChanged, null),
    isDeleted: deleted === true,
  };
}

function numberOr<T>(value: Json | undefined, otherwise: T): number | T {
  return typeof value === "number" ? value : otherwise;
}

/** What did not apply: how often, and the latest of it. */
export interface NotApplied {
  readonly count: number;
  readonly latest: readonly { version: number; path: string; reason: string }[];
}

/** Returns what of the run's own state did not apply; null where all did. */
export function notAppliedOf(now: StateAt): NotApplied | null {
  const { count, latest } = members(now["notApplied"]);
  if (typeof count !== "number") return null;
  const entries = listOf(latest).map((entry) => {
    const { version, path, reason } = members(entry);
    return {
      version: numberOr(version, 0),
      path: textOr(path, ""),
      reason: textOr(reason, ""),
    };
  });
  return { count, latest: entries };
}

/** The state that a JSONPath is asked of, and the path. */
export interface StatePath {
  readonly view: "agent-state" | "run-state";
  readonly path: string;
}

/** Returns which state a JSONPath is about, by the first name in it. */
export function statePathOf(path: string): StatePath {
  const first = /^\s*\$(?:\.(\w+)|\[\s*['"](\w+)['"])/.exec(path);
  const name = first?.[1] ?? first?.[2] ?? "";
  return { view: NAMES.has(name) ? "run-state" : "agent-state", path };
}

/** Returns the JSONPath of a member of a part. */
export function pathInPart(part: string, key: string): string {
  return `${pathOfKey(part)}${pathOfKey(key).slice(1)}`;
}
