import { type Json, printExact } from "../../../api/exact";
import { bytes } from "../../../parts/format";

/** A part of a message's contents: a text, or the description of a file. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly about: string }
  | { readonly kind: "json"; readonly value: Json };

/** A chat message as a model gets it, taken apart for reading. */
export interface ModelMessage {
  readonly role: string;
  readonly parts: readonly Part[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  /** Id of the call that a tool's result answers. */
  readonly callId: string | null;
  /** What repair did to the message, and why; null where the log has it so. */
  readonly repair: string | null;
  /** Whatever else the message carries. */
  readonly rest: { readonly [key: string]: Json };
}

const REASONS: Record<string, string> = {
  filler: "Added: the call has no result before the next turn, and a model's API refuses that.",
  synthesised: "Added: the result has no call, and a model's API refuses that.",
  reordered: "Moved: a model's API takes the results of a turn's calls before any other message.",
};

/** Reads an item of the view `openai` that was asked for with its marks. */
export function modelMessage(item: Json): ModelMessage {
  const {
    role,
    content,
    tool_calls: calls,
    tool_call_id: callId,
    agentlog,
    ...rest
  } = members(item);
  return {
    role: textOr(role ?? rest["type"], "?"),
    parts: partsOf(content ?? null),
    calls: listOf(calls).map(callOf),
    callId: typeof callId === "string" ? callId : null,
    repair: typeof agentlog === "string" ? (REASONS[agentlog] ?? `Repaired: ${agentlog}.`) : null,
    rest,
  };
}

/** Returns the texts of a message whose tokens are counted: contents, names and arguments. */
export function countedTexts({ parts, calls }: ModelMessage): string[] {
  return [
    ...parts.flatMap((part) => {
      if (part.kind === "json") return [printExact(part.value)];
      return part.kind === "text" ? [part.text] : [];
    }),
    ...calls.flatMap(({ name, args }) => [name, args]),
  ];
}

function partsOf(content: Json): Part[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return listOf(content).map((part) => {
    const { type, text, image_url: image, file } = members(part);
    if (typeof text === "string") return { kind: "text", text };
    if (image === undefined && file === undefined) return { kind: "json", value: part };
    const data = members(image)["url"] ?? members(file)["file_data"];
    return {
      kind: "file",
      about: aboutFile(textOr(type, "part"), members(file)["filename"], data),
    };
  });
}

function aboutFile(type: string, name: Json | undefined, data: Json | undefined): string {
  const named = typeof name === "string" ? ` ${name}` : "";
  if (typeof data !== "string") return `${type}${named}`;
  const mimeType = /^data:([^;,]{1,100})[;,]/.exec(data)?.[1];
  if (mimeType === undefined) return `${type}${named}: ${data.slice(0, 200)}`;
  const encoded = data.length - data.indexOf(",") - 1;
  return `${type}${named}: ${mimeType}, ${bytes(Math.floor((encoded * 3) / 4))}`;
}

function callOf(call: Json): ModelMessage["calls"][number] {
  const { id, function: called } = members(call);
  const { name, arguments: args } = members(called);
  return { id: textOr(id, ""), name: textOr(name, "?"), args: textOr(args, "") };
}

export function members(value: Json | undefined): { readonly [key: string]: Json } {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as { readonly [key: string]: Json }) : {};
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
