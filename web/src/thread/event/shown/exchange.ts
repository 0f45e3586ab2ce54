import type { Json } from "../../../api/exact";
import { duration } from "../../../parts/format";
import { fieldsIn, listIn, numberIn, textIn, valueIn } from "../contents";

/** An exchange with a model provider, as `agentlog record` keeps it. */
export interface Exchange {
  /** `POST /v1/chat/completions` */
  readonly requestLine: string;
  /** Null where no answer came. */
  readonly status: number | null;
  /** What broke it off; null where it came whole. */
  readonly broken: string | null;
  readonly durationMs: number | null;
  /** When the first bytes of the answer came, in milliseconds since the request. */
  readonly firstMs: number | null;
  readonly pieces: number;
  readonly request: Body;
  readonly response: Body;
}

/** The headers and bytes of a request or response, as text; what is no UTF-8 in base64. */
export interface Body {
  readonly headers: Json;
  readonly text: string;
  readonly isBase64: boolean;
}

const ENDS: Readonly<Record<string, string>> = {
  upstream_refused: "no provider answered",
  upstream_broke: "answer broke off",
  client_left: "client left",
  recorder_died: "recorder stopped",
};

export function exchangeIn(payload: Json | undefined): Exchange {
  const request = fieldsIn(payload, "request");
  const response = fieldsIn(payload, "response");
  const chunks = listIn(response, "chunks");
  const end = textIn(payload, "end") ?? "complete";
  const [first] = chunks;
  return {
    requestLine: `${textIn(payload, "method") ?? ""} ${textIn(payload, "path") ?? ""}`.trim(),
    status: numberIn(payload, "status"),
    broken: end === "complete" ? null : (ENDS[end] ?? end.replaceAll("_", " ")),
    durationMs: numberIn(payload, "durationMs"),
    firstMs: Array.isArray(first)
      ? numberIn({ ms: (first as readonly Json[])[1] ?? null }, "ms")
      : null,
    pieces: chunks.length,
    request: bodyOf(request, listIn(request, "pieces")),
    response: bodyOf(response, [valueIn(response, "body") ?? ""]),
  };
}

function bodyOf(side: Json, pieces: readonly Json[]): Body {
  const encoded = pieces.map((piece) => textIn(piece, "base64")).find((text) => text !== null);
  return {
    headers: fieldsIn(side, "headers"),
    text: encoded ?? pieces.filter((piece) => typeof piece === "string").join(""),
    isBase64: encoded !== undefined,
  };
}

/** Bytes of a body. */
export function sizeOf({ text, isBase64 }: Body): number {
  return isBase64 ? atob(text).length : new TextEncoder().encode(text).length;
}

/** An exchange in a line, as the history has it. */
export function exchangeText(payload: Json | undefined): string {
  const { requestLine, status, broken, durationMs } = exchangeIn(payload);
  const took = durationMs === null ? null : duration(durationMs);
  return [requestLine, broken ?? status, took]
    .filter((part) => part !== null && part !== "")
    .join(" · ");
}
