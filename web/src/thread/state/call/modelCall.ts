import { queryOptions } from "@tanstack/react-query";
import { fetchWithKey } from "../../../api/client";
import { type Json, parseExact, printExact } from "../../../api/exact";
import type { components } from "../../../api/schema";
import { countedTexts, modelMessage } from "../model/modelMessage";
import { type ModelRequest, modelRequest, requestTexts } from "../model/modelRequest";

export type ModelCall = components["schemas"]["ModelCall"];

/** The request that a message came of, its answer, and what the request before it shares. */
export function callQuery(threadId: string, version: number) {
  return queryOptions({
    queryKey: ["model call", threadId, version],
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/model-calls/${version}`;
      const response = await fetchWithKey(path, { signal });
      return parseExact(await response.text()) as unknown as ModelCall;
    },
  });
}

/** Returns the messages as they are read, a prompt that stands apart first. */
export function messagesOf({ prompt, messages }: ModelCall): readonly Json[] {
  const apart: Json[] = prompt === null ? [] : [{ role: "system", content: prompt as Json }];
  return [...apart, ...(messages as readonly Json[])];
}

const MOST_CHARACTERS = 6;

/** Returns why a request cannot be what the provider counted, null where it may be. */
export function doubtOf({ charactersPerToken, isDoubtful }: ModelCall): string | null {
  if (!isDoubtful || charactersPerToken === null) return null;
  const how = charactersPerToken > MOST_CHARACTERS ? "more is here than" : "not all is here that";
  return `${charactersPerToken} characters a token, not 2 to 6: ${how} the provider counted`;
}

/** Returns what stands beside the messages; a model that answered was asked. */
export function besideOf({ model, tools, parameters, answer }: ModelCall): ModelRequest {
  const ownParameters = Object.keys(parameters).length > 0 ? (parameters as Json) : null;
  return modelRequest({
    model: model ?? answer?.model ?? null,
    tools: tools as Json,
    parameters: ownParameters,
  });
}

/** Texts of a part of a request, whose tokens are counted together. */
export interface CallPart {
  readonly part: ModelCall["parts"][number]["part"];
  readonly texts: readonly string[];
}

/** Returns the texts of each part of a request. */
export function callParts(call: ModelCall): CallPart[] {
  const textsOf = (item: Json): string[] => {
    const message = modelMessage(item);
    const others = Object.keys(message.rest).length > 0 && call.api !== "chat";
    return [...countedTexts(message), ...(others ? [printExact(message.rest)] : [])];
  };
  const all = messagesOf(call);
  const apart = all.slice(0, all.length - call.messages.length);
  return call.parts.map(({ part, messages }) => ({
    part,
    texts: [
      ...(part === "tools" ? requestTexts(besideOf(call)) : []),
      ...(part === "system" ? apart.flatMap(textsOf) : []),
      ...messages.flatMap((index) => textsOf(all[apart.length + index] ?? null)),
    ],
  }));
}

/** Returns a place of a request in words, as `message 3` or `temperature`. */
export function placeOf(part: string, place: number | string | null): string {
  if (part === "messages" && typeof place === "number") return `message ${place + 1}`;
  if (part === "tools" && typeof place === "number") return `tool ${place + 1}`;
  return typeof place === "string" ? place : `the ${part}`;
}
