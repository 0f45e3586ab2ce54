import { type Json, printExact } from "../../../api/exact";
import type { StateAt } from "../../queries";
import { listOf, members, textOr } from "./modelMessage";

/** What a model is asked with beside the messages; null where it is not on record. */
export interface ModelRequest {
  readonly model: Json;
  readonly tools: readonly Json[] | null;
  readonly parameters: Json;
}

/** Reads the state of the view `request`. */
export function modelRequest({ model, tools, parameters }: StateAt): ModelRequest {
  const known = tools ?? null;
  const list = Array.isArray(known) ? listOf(known) : [known];
  return {
    model: model ?? null,
    tools: known === null ? null : list,
    parameters: parameters ?? null,
  };
}

/** Returns the texts whose tokens are counted: the tools' JSON, and that of a response format. */
export function requestTexts({ tools, parameters }: ModelRequest): string[] {
  const format = members(parameters)["response_format"] ?? null;
  return [...(tools ?? []), ...(format === null ? [] : [format])].map((value) => printExact(value));
}

/** Returns the name of a tool, or of all those that a definition has. */
export function toolName(tool: Json): string {
  const { name, type, function: called, functionDeclarations: several } = members(tool);
  const names = listOf(several).map(toolName);
  return textOr(
    members(called)["name"] ?? name,
    names.length > 0 ? names.join(", ") : textOr(type, "?"),
  );
}
