import type { Json } from "../../../api/exact";
import { type Fields, isFields, jsonIn, type Recorded } from "../../event/contents";

/**
 * Returns the fields of an event to be compared: those of its message, and its metadata. Arguments
 * and outputs that are JSON in a text are compared as what the text says.
 */
export function eventFields({ message, metadata }: Recorded): Fields {
  const fields = Object.entries({ metadata, ...message });
  return Object.fromEntries(fields.map(([name, value]) => [name, READ[name]?.(value) ?? value]));
}

const READ: Readonly<Record<string, (value: Json) => Json>> = {
  calls: (calls) => withJson(calls, "argumentsText"),
  results: (results) => withJson(results, "output"),
};

function withJson(entries: Json, name: string): Json {
  if (!Array.isArray(entries)) return entries;
  return (entries as readonly Json[]).map((entry) => {
    if (!isFields(entry)) return entry;
    const text = entry[name];
    const value = typeof text === "string" ? jsonIn(text) : null;
    return value === null ? entry : { ...entry, [name]: value };
  });
}
