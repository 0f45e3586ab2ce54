import { ExactNumber, type Json, parseExact } from "../../api/exact";
import { visible } from "../../parts/visible/visible";

export type Fields = Readonly<Record<string, Json>>;

/** An event as the API gives it. */
export interface Recorded {
  readonly id: string;
  readonly version: number;
  readonly position: number | null;
  readonly recordedAt: string;
  /** Milliseconds since the epoch, by the producer's clock. */
  readonly timestamp: number | null;
  readonly type: string;
  readonly kind: "message" | "fact";
  readonly message: Fields;
  readonly metadata: Fields;
  /** Size of the whole message as JSON. */
  readonly bytes: number;
  readonly isCut: boolean;
  /** The version that erased its contents. */
  readonly redactedBy: number | null;
  /** A sentence on contents that the log has lost. */
  readonly lost: string | null;
  /** All of it, as it was answered. */
  readonly whole: Json;
}

export function recordedIn(whole: Json): Recorded {
  const message = fieldsIn(whole, "message");
  return {
    id: textIn(message, "id") ?? "",
    version: numberIn(whole, "version") ?? 0,
    position: numberIn(whole, "position"),
    recordedAt: textIn(whole, "recordedAt") ?? "",
    timestamp: numberIn(message, "timestamp"),
    type: textIn(whole, "type") ?? "",
    kind: textIn(whole, "kind") === "fact" ? "fact" : "message",
    message,
    metadata: fieldsIn(whole, "metadata"),
    bytes: numberIn(whole, "bytes") ?? 0,
    isCut: valueIn(whole, "cut") === true,
    redactedBy: numberIn(fieldsIn(whole, "redacted"), "version"),
    lost: textIn(fieldsIn(whole, "error"), "detail"),
    whole,
  };
}

export function isFields(value: Json | undefined): value is Fields {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  );
}

/** The value of a field; undefined where there is none, or no object. */
export function valueIn(value: Json | undefined, name: string): Json | undefined {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function textIn(value: Json | undefined, name: string): string | null {
  const field = valueIn(value, name);
  return typeof field === "string" ? field : null;
}

export function numberIn(value: Json | undefined, name: string): number | null {
  const field = valueIn(value, name);
  if (field instanceof ExactNumber) return Number(field.digits);
  return typeof field === "number" ? field : null;
}

export function fieldsIn(value: Json | undefined, name: string): Fields {
  const field = valueIn(value, name);
  return isFields(field) ? field : {};
}

export function listIn(value: Json | undefined, name: string): readonly Json[] {
  const field = valueIn(value, name);
  return Array.isArray(field) ? (field as readonly Json[]) : [];
}

/** The texts of a list of text parts, as results of sub-agents are; null for any other value. */
export function partsText(value: Json | undefined): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const texts = (value as readonly Json[]).map((part) =>
    textIn(part, "type") === "text" ? textIn(part, "text") : null,
  );
  return texts.includes(null) ? null : texts.join("\n");
}

/** Longer texts are shown as texts, even if they are JSON. */
const LONGEST_JSON = 1_000_000;

/** The object or list that a text is the JSON of; null for any other text. */
export function jsonIn(text: string): Json {
  if (text.length > LONGEST_JSON || !/^\s*[[{]/.test(text)) return null;
  try {
    return parseExact(text);
  } catch {
    return null; // no JSON, or nested deeper than the parser's stack
  }
}

/** A file of an input: its bytes in base64, or the digest under which the service has them. */
export interface FileOf {
  readonly name: string;
  readonly type: string | null;
  readonly sha256: string | null;
  readonly data: string | null;
}

/** Types of pictures that the page draws. SVG is a document that may run: never drawn. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function filesOf(message: Fields): FileOf[] {
  return listIn(message, "files").map((file, index) => ({
    name: textIn(file, "filename") ?? `file ${index + 1}`,
    type: textIn(file, "mimeType"),
    sha256: textIn(file, "sha256"),
    data: textIn(file, "data"),
  }));
}

export function isPicture(file: FileOf): boolean {
  return PICTURES.has(file.type ?? "");
}

/** Returns a valid file name made from the one that an agent gave. */
export function safeName(name: string): string {
  const plain = visible(name).replace(/[/\\:*?"<>|]/g, "_");
  return plain.slice(-100).replace(/^\.+/, "") || "file";
}
