/** Formats of figures. A missing figure is a dash, never 0. */

const NONE = "–";

/** 950 ms, 4.2 s, 1 m 35 s, 2 h 5 m, 3 d 4 h. */
export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return NONE;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const parts = [
    [Math.floor(seconds / 86400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [Math.floor(seconds) % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** 12 B, 3.4 kB, 20 MB: thousands, as in our documentation. */
export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return NONE;
  const units = ["B", "kB", "MB", "GB"];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ""}`;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** 1,234,567. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : whole.format(value);
}

/** $0.0123: four digits under a dollar, two above; ~$0.0123 where any of it is computed. */
export function cost(usd: number | null | undefined, computedCalls = 0): string {
  if (usd === null || usd === undefined) return NONE;
  return `${computedCalls > 0 ? "~" : ""}$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** What of a cost is computed, and what is missing in it; undefined where all was reported. */
export function costNote(computedCalls: number, unpricedCalls: number): string | undefined {
  const notes = [
    computedCalls > 0 && `computed by a list of prices: ${countOf(computedCalls, "call")}`,
    unpricedCalls > 0 && `cost not known: ${countOf(unpricedCalls, "call")}`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? undefined : notes.join("; ");
}

const clock = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** 05 Jan 2026, 08:05:01, in the reader's own time zone. */
export function time(iso: string | number | null | undefined): string {
  if (iso === null || iso === undefined) return NONE;
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? String(iso) : clock.format(date);
}

/** 3 minutes ago, from `now` in milliseconds since the epoch. */
export function ago(iso: string | null | undefined, now: number): string {
  if (iso === null || iso === undefined) return NONE;
  const passed = now - Date.parse(iso);
  return passed < 5000 ? "now" : `${duration(passed).split(" ").slice(0, 2).join(" ")} ago`;
}

/** 1st, 2nd, 3rd, 4th, 11th. */
export function ordinal(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1;
  const ending = isTeen ? undefined : ["th", "st", "nd", "rd"][number % 10];
  return `${number}${ending ?? "th"}`;
}

/** A count with its noun: 1 event, 12 events. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}
