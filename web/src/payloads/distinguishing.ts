import { ExactNumber, type Json, printExact } from "../api/exact";
import { type Fields, isFields } from "../thread/event/contents";

/** Names of what is the same, or means nothing, in each of a run's objects. */
const PLACES =
  /(?:^|_)(?:u?u?id|hash|digest|timestamp|ordinal|version|working_start|cwd)$|[a-z]Id$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const RANKS = { said: 0, nested: 1, place: 2, empty: 3 };

/** The members of an object, those that say what it is about first: ids and what is empty last. */
export function distinguishingFirst(value: Fields): readonly [string, Json][] {
  const ranked = Object.entries(value).map((member) => ({ member, rank: rankOf(member) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ member }) => member);
}

function rankOf([name, value]: [string, Json]): number {
  if (value === null || value === "" || value === false) return RANKS.empty;
  if (PLACES.test(name) || (typeof value === "string" && UUID.test(value))) return RANKS.place;
  if (typeof value !== "object" || value instanceof ExactNumber) return RANKS.said;
  return Object.keys(value).length === 0 ? RANKS.empty : RANKS.nested;
}

/** A value as a text of at most so many characters; of an object its members on one line. */
export function glimpseOf(value: Json, characters: number): string {
  const text =
    typeof value === "string" ? value : isFields(value) ? membersOf(value) : textOf(value);
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}

function membersOf(value: Fields): string {
  const members = distinguishingFirst(value);
  return members.map(([name, member]) => `${name}: ${textOf(member)}`).join(", ");
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : printExact(value);
}
