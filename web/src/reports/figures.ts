import { ExactNumber, type Json, printExact } from "../api/exact";
import { cost, count, duration, time } from "../parts/format";
import type { ReportColumn, ReportRow } from "./queries";

const share = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** The text of a row's figure; `~` where a part of it is computed. */
export function figureIn(row: ReportRow, column: ReportColumn): string {
  const text = figure(row[column.name], column);
  return Number(row[column.computed ?? ""] ?? 0) > 0 && text !== "–" ? `~${text}` : text;
}

/** Formats a value of a report by its unit: `share` as percent, `ms` as a duration. */
export function figure(value: unknown, { name, unit }: ReportColumn): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") {
    if (typeof value === "string") return name.endsWith("_at") ? time(value) : value;
    return JSON.stringify(value);
  }
  if (unit === "share") return share.format(value);
  if (unit === "ms") return duration(value);
  if (unit === "USD") return cost(value);
  if (unit === "score") return String(Number(value.toPrecision(3)));
  return unit === null ? String(value) : count(value);
}

/** What readers call a column, where its name is another word. */
const WORDS: Readonly<Record<string, string>> = { stated: "reported" };

/** A column's name as words, without a unit that its figures have: `cost`, `latency p95`. */
export function words(name: string): string {
  if (name.startsWith("metadata.")) return name;
  return WORDS[name] ?? name.replace(/_(usd|ms)$/, "").replaceAll("_", " ");
}

/** The same as a heading: `Cost`. */
export function heading(name: string): string {
  return name.startsWith("metadata.") ? name : capital(words(name));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The unit for a heading; empty where each figure or the column's name has it. */
export function unitText({ name, unit }: ReportColumn): string {
  if (unit === null || unit === "share" || unit === "ms" || unit === "USD") return "";
  return name.split("_").includes(unit) ? "" : unit;
}

/** A value of an SQL answer, with all of its digits. */
export function cellText(value: Json): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  return value instanceof ExactNumber ? value.digits : printExact(value);
}
