import { ExactNumber, type Json, printExact } from "../../api/exact";
import type { ComparedItem } from "../queries";

type Fields = { readonly [key: string]: Json };

/** Fields that are left out when items are compared. */
const NOT_SAID = new Set(["id", "timestamp", "type", "metadata"]);

/** An item as one text, without its id and time: its own text, or JSON with sorted keys. */
export function textOf({ item, hint }: ComparedItem): string {
  const fields = item as Json;
  if (!isObject(fields)) return hint;
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !NOT_SAID.has(key)));
  if (Array.isArray(rest["calls"])) return several(rest["calls"] as Json[], call);
  if (Array.isArray(rest["results"])) return several(rest["results"] as Json[], result);
  const texts = Object.values(rest);
  if (texts.length > 0 && texts.every((text) => typeof text === "string")) return texts.join("\n");
  return texts.length === 0 ? "" : printSorted(rest);
}

function several(entries: readonly Json[], one: (entry: Fields) => string): string {
  const known = entries.filter(isObject);
  if (known.length === 1) return known.map(one).join("");
  return known.map((entry) => `${nameOf(entry)}\n${one(entry)}`).join("\n\n");
}

function nameOf({ name }: Fields): string {
  return typeof name === "string" ? name : "–";
}

function call({ args, argumentsText }: Fields): string {
  return args === undefined || args === null ? plain(argumentsText ?? null) : printSorted(args);
}

function result({ output, error }: Fields): string {
  const parts = [plain(output ?? null)];
  if (error !== undefined && error !== null) parts.push(`Error: ${plain(error)}`);
  return parts.filter((part) => part !== "").join("\n");
}

function plain(value: Json): string {
  if (value === null) return "";
  return typeof value === "string" ? value : printSorted(value);
}

function printSorted(value: Json): string {
  return printExact(sortKeys(value), 2);
}

/** Sorts keys: their order makes no difference. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}

function isObject(value: Json): value is Fields {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  );
}
