import { ExactNumber, type Json, printExact } from "../api/exact";
import { cost, count, duration, time } from "../parts/format";
import type { ReportColumn } from "./queries";

const share = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

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
  return unit === null ? String(value) : count(value);
}

/** A column's name as words. */
export function heading(name: string): string {
  return name.startsWith("metadata.") ? name : name.replaceAll("_", " ");
}

/** The unit for a heading; empty where each figure has its own. */
export function unitText(unit: string | null): string {
  return unit === null || unit === "share" || unit === "ms" ? "" : unit;
}

/** A value of an SQL answer, with all of its digits. */
export function cellText(value: Json): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  return value instanceof ExactNumber ? value.digits : printExact(value);
}
