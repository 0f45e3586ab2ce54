import { fetchWithKey } from "../../api/client";
import { type Json, parseExact } from "../../api/exact";
import { keyHeaders } from "../../api/key";
import { networkError, Problem, problemIn } from "../../api/problem";

/** A place in a statement: line and column, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Rows in the order of the columns; numbers keep their digits. */
export interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly Json[])[];
  readonly truncated: boolean;
  /** For each table the position in the log up to which it is filled. */
  readonly asOf: Readonly<Record<string, number>>;
}

/** What PostgreSQL refuses, with the place if it names one. */
export class QueryRefused extends Problem {
  readonly position: Position | null;

  constructor({ status, type, title, message }: Problem, position: Position | null) {
    super(status, type, title, message);
    this.position = position;
  }
}

const PATH = "/v1/analytics/sql";
const MOST_ROWS = 1000;
const MOST_ROWS_OF_CSV = 100_000;

/** Asks for the rows of a statement; raises `QueryRefused`. */
export async function ask(sql: string, signal: AbortSignal): Promise<Answer> {
  const body = JSON.stringify({ sql, limit: MOST_ROWS });
  const init = { method: "POST", headers: keyHeaders(), body, signal };
  const response = await fetch(PATH, init).catch((error: unknown) => {
    throw networkError(error);
  });
  if (response.ok) return parseExact(await response.text()) as unknown as Answer;
  const said: unknown = await response.json().catch(() => null);
  throw new QueryRefused(problemIn(response.status, said), positionIn(said));
}

/** Asks for up to 100,000 rows as CSV, exact to the byte. */
export async function answerCsv(sql: string): Promise<Blob> {
  const body = JSON.stringify({ sql, limit: MOST_ROWS_OF_CSV });
  return (await fetchWithKey(`${PATH}?format=csv`, { method: "POST", body })).blob();
}

/** The place in a refusal, if it names one. */
export function positionIn(said: unknown): Position | null {
  const sql: unknown = typeof said === "object" && said !== null ? Reflect.get(said, "sql") : null;
  if (typeof sql !== "object" || sql === null) return null;
  const line: unknown = Reflect.get(sql, "line");
  const column: unknown = Reflect.get(sql, "column");
  return typeof line === "number" && typeof column === "number" ? { line, column } : null;
}

const NUMBERS = ["smallint", "integer", "bigint", "numeric", "real", "double precision"];

export function isFigure(type: string): boolean {
  return NUMBERS.includes(type);
}

export function isTime(type: string): boolean {
  return type === "date" || type.startsWith("timestamp");
}
