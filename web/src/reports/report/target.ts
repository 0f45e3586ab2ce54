import { quoted } from "../../parts/text/terms";
import type { ThreadsAddress } from "../../threads/address";
import { filterOf } from "../address";
import type { ReportAnswer, ReportRow } from "../queries";

/** What a row links to: a thread, the list with filters, or an SQL statement. */
export type Target =
  | { readonly kind: "thread"; readonly threadId: string; readonly at: number | undefined }
  | { readonly kind: "list"; readonly search: ThreadsAddress }
  | { readonly kind: "question"; readonly sql: string };

/** All must hold, each for one of its values. */
type Conditions = readonly { readonly name: string; readonly values: readonly unknown[] }[];

/** Returns what a row links to. */
export function targetOf(
  answer: Pick<ReportAnswer, "report" | "by" | "from" | "to" | "threads">,
  row: ReportRow,
  only: readonly string[] = [],
): Target {
  const { report, by, from, to, threads } = answer;
  const thread = row["thread"];
  if (typeof thread === "string" && (threads === null || by.includes("thread"))) {
    const version = row["version"];
    return {
      kind: "thread",
      threadId: thread,
      at: typeof version === "number" ? version : undefined,
    };
  }
  const conditions = [
    ...by.map((name) => ({ name, values: [row[name] ?? null] })),
    ...filters(only),
  ];
  if (threads === null) return { kind: "list", search: nearest(conditions) };
  const isTimed = from !== null || to !== null;
  const search = isTimed ? null : listOf(report, conditions);
  return search === null
    ? { kind: "question", sql: statementOf(threads, row) }
    : { kind: "list", search };
}

/** The statement that lists a row's threads. */
function statementOf(
  { begin, where, by, end }: NonNullable<ReportAnswer["threads"]>,
  row: ReportRow,
): string {
  const conditions = [
    ...where,
    ...Object.entries(by).map(([name, sql]) => condition(sql, name, row[name] ?? null)),
  ];
  const lines = conditions.map((text, index) => `${index === 0 ? "WHERE" : "  AND"} ${text}`);
  return [begin, ...lines, end].join("\n");
}

function condition(sql: string, name: string, value: unknown): string {
  if (value === null) return `${sql} IS NULL`;
  const isText = typeof value === "string" && !name.startsWith("metadata.");
  const text = isText ? value : JSON.stringify(value);
  return `${sql} = '${text.replaceAll("'", "''")}'`;
}

/** Filters by name: several values of one are alternatives. */
function filters(only: readonly string[]): Conditions {
  const found = Map.groupBy(only.map(filterOf), ([name]) => name);
  return [...found].map(([name, pairs]) => ({ name, values: pairs.map(([, value]) => value) }));
}

/** The list's filter, where it can express the conditions. */
function listOf(report: string, conditions: Conditions): ThreadsAddress | null {
  if (report !== "threads" && report !== "tools") return null;
  const terms = conditions.map((condition) => termOf(condition, report));
  const isTool = conditions.some(({ name }) => name === "tool");
  if (terms.includes(null) || (report === "tools" && !isTool)) return null;
  return terms.length === 0 ? {} : { filter: terms.join(" ") };
}

/** The nearest list of threads with anomalies: what it cannot express is left out. */
function nearest(conditions: Conditions): ThreadsAddress {
  const terms = conditions.map((condition) => termOf(condition, "anomalies"));
  return { filter: ["anomalies>0", ...terms.filter((term) => term !== null)].join(" ") };
}

function termOf({ name, values }: Conditions[number], report: string): string | null {
  const isKnown =
    name === "status" || name.startsWith("metadata.") || (name === "tool" && report === "tools");
  if (!isKnown || values.includes(null)) return null;
  const key = name.startsWith("metadata.") ? `metadata.${quoted(name.slice(9))}` : name;
  const terms = values.map((value) =>
    typeof value === "string" ? `${key}:${quoted(value)}` : `${key}:${JSON.stringify(value)}`,
  );
  return terms.length === 1 ? terms.join("") : `(${terms.join(" or ")})`;
}
