import { quote } from "../../parts/text/terms";
import type { ThreadsAddress } from "../../threads/address";
import type { ReportAnswer, ReportRow } from "../queries";

/** What a row links to: a thread, the list with filters, or an SQL statement. */
export type Target =
  | { readonly kind: "thread"; readonly threadId: string; readonly at: number | undefined }
  | { readonly kind: "list"; readonly search: ThreadsAddress }
  | { readonly kind: "question"; readonly sql: string };

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
  const terms = [...by.map((name) => termOf(name, row[name] ?? null)), ...only.map(listTerm)];
  if (threads === null) {
    const near = terms.filter((term) => term !== null && !term.startsWith("tool:"));
    return { kind: "list", search: { filter: ["anomalies>0", ...near].join(" ") } };
  }
  const isTimed = from !== null || to !== null;
  const search = isTimed ? null : listOf(report, terms);
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

/** The list's filter, where its terms can express what a row is about. */
function listOf(report: string, terms: readonly (string | null)[]): ThreadsAddress | null {
  const tools = terms.filter((term) => term?.startsWith("tool:")).length;
  if (terms.includes(null) || !(report === "threads" || (report === "tools" && tools > 0))) {
    return null;
  }
  return terms.length === 0 ? {} : { filter: terms.join(" ") };
}

const LIST_TERM = /^(?:status|tool|metadata\..+?):\S+$/s;

/** A term of a report, where a list of threads has it too. */
function listTerm(term: string): string | null {
  return LIST_TERM.test(term) ? term : null;
}

function termOf(name: string, value: unknown): string | null {
  if (value === null) return null;
  const key = name.startsWith("metadata.") ? `metadata.${quote(name.slice(9))}` : name;
  if (!["status", "tool"].includes(name) && key === name) return null;
  return `${key}:${typeof value === "string" ? quote(value) : JSON.stringify(value)}`;
}
