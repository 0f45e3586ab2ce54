import { STATUSES, type ThreadsAddress } from "../../threads/address";
import { filterOf } from "../address";
import type { ReportAnswer, ReportRow } from "../queries";
import { type Asked, questionOf } from "./question";

/** What a row links to: a thread, the list with filters, or an SQL statement. */
export type Target =
  | { readonly kind: "thread"; readonly threadId: string; readonly at: number | undefined }
  | { readonly kind: "list"; readonly search: ThreadsAddress }
  | { readonly kind: "question"; readonly sql: string };

/** Returns what a row links to. */
export function targetOf(
  answer: Pick<ReportAnswer, "report" | "by" | "from" | "to">,
  row: ReportRow,
  asked: { readonly only?: readonly string[]; readonly clock?: string },
): Target {
  const { report, by, from, to } = answer;
  const thread = row["thread"];
  if (typeof thread === "string" && (report === "slowest" || by.includes("thread"))) {
    const version = row["version"];
    return {
      kind: "thread",
      threadId: thread,
      at: typeof version === "number" ? version : undefined,
    };
  }
  const conditions: Asked["conditions"] = [
    ...by.map((name) => ({ name, values: [row[name] ?? null] })),
    ...filters(asked.only ?? []),
  ];
  const isTimed = from !== null || to !== null;
  const search = isTimed && report !== "anomalies" ? null : listOf(report, conditions);
  if (search !== null) return { kind: "list", search };
  const clock = asked.clock ?? "recorded";
  return { kind: "question", sql: questionOf({ report, conditions, from, to, clock }) };
}

/** Filters by name: several values of one are alternatives. */
function filters(only: readonly string[]): Asked["conditions"] {
  const found = Map.groupBy(only.map(filterOf), ([name]) => name);
  return [...found].map(([name, pairs]) => ({ name, values: pairs.map(([, value]) => value) }));
}

/** The list's filters, where they can express the conditions; for anomalies the nearest ones. */
function listOf(report: string, conditions: Asked["conditions"]): ThreadsAddress | null {
  const isNear = report === "anomalies";
  if (!isNear && report !== "threads" && report !== "tools") return null;
  const search: ThreadsAddress = isNear ? { anomalies: true } : {};
  for (const { name, values } of conditions) {
    const [value] = values;
    const isOne = values.length === 1 && value !== null && value !== undefined;
    const status = STATUSES.find((each) => each === value);
    if (isOne && name === "status" && status !== undefined) search.status = status;
    else if (typeof value === "string" && isOne && name === "tool" && report === "tools") {
      search.tool = value;
    } else if (isOne && name.startsWith("metadata.")) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      search.meta = [...(search.meta ?? []), `${name.slice("metadata.".length)}=${text}`];
    } else if (!isNear) return null;
  }
  return report === "tools" && search.tool === undefined ? null : search;
}
