import { ExactNumber, type Json } from "../api/exact";
import { withoutFiles } from "./text/dataUri";
import { visible } from "./visible/visible";

const MOST_ENTRIES = 100;
const MOST_LEVELS = 100;
const LONGEST_TEXT = 500;

/**
 * Returns JSON made small enough to draw as a tree.
 *
 * Texts come as JSON prints them, so that no control character is lost to the eye, but for their line
 * breaks; of long ones the beginning. Hidden characters are written out, also in keys. Numbers keep their digits. Lists and objects of more than 100 entries come in groups
 * of 100, and what lies deeper than 100 levels as a note.
 */
export function groupEntries(value: Json, level = 0): Json {
  if (typeof value === "string") return quote(value);
  if (value instanceof ExactNumber) return value.digits;
  if (typeof value !== "object" || value === null) return value;
  if (level === MOST_LEVELS) return "… more levels: see the text";
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (list.length <= MOST_ENTRIES) return list.map((item) => groupEntries(item, level + 1));
    return inGroups(list.length, (from, to) => groupEntries(list.slice(from, to), level + 1));
  }
  const entries = Object.entries(value);
  if (entries.length <= MOST_ENTRIES) {
    return drawnMembers(entries, level);
  }
  return inGroups(entries.length, (from, to) =>
    groupEntries(Object.fromEntries(entries.slice(from, to)), level + 1),
  );
}

function inGroups(length: number, group: (from: number, to: number) => Json): Json {
  const size = groupSize(length);
  const groups: Record<string, Json> = {};
  for (let from = 0; from < length; from += size) {
    const to = Math.min(from + size, length);
    groups[`${from} … ${to - 1}`] = group(from, to);
  }
  return groups;
}

/** The smallest power of 100 that leaves at most 100 groups. */
function groupSize(length: number): number {
  let size = MOST_ENTRIES;
  while (length / size > MOST_ENTRIES) size *= MOST_ENTRIES;
  return size;
}

function drawnMembers(entries: readonly [string, Json][], level: number): Json {
  const members = new Map<string, Json>();
  for (const [key, value] of entries) {
    let name = visible(key);
    while (members.has(name)) name += "′"; // a key that looks like another hides it no more
    members.set(name, groupEntries(value, level + 1));
  }
  return Object.fromEntries(members);
}

function quote(whole: string): string {
  const text = withoutFiles(whole);
  const left = text.length - LONGEST_TEXT;
  const drawn = visible(withLines(JSON.stringify(text.slice(0, LONGEST_TEXT))));
  return left > 0 ? `${drawn} … ${left} more characters` : drawn;
}

/** The JSON of a text with its line breaks and tabs as they are. */
function withLines(json: string): string {
  return json.replace(/\\(.)/g, (escape, sign) => ESCAPED[sign as string] ?? escape);
}

const ESCAPED: Partial<Record<string, string>> = { n: "\n", t: "\t" };
