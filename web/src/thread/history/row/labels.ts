import { type Json, printExact } from "../../../api/exact";
import { cost, count, countOf, duration } from "../../../parts/format";
import type { Span } from "../../timeline/span";
import { exchangeText } from "../../event/shown/exchange";
import { ADDED } from "../../../extensions";
import { fieldsIn, partsText, valueIn } from "../../event/contents";
import type { StoredEvent } from "../events";
import { isVendors, nameOf } from "../../../parts/kinds";
import { remarkTexts } from "../../remarks/texts";
import { stripStyles } from "../../../parts/text/ansi";

/** A line of a row: a name and a text. */
export interface Line {
  readonly name: string;
  readonly text: string;
  /** Of a call, a result or an approval: what it is paired by. */
  readonly callId: string | null;
  /** Of a call whose arguments cannot be read as JSON. */
  readonly isBroken?: true;
  /** The thread of a worker. */
  readonly threadId?: string;
}

type Value = Json | undefined;
type Fields = { readonly [key: string]: Json };

const LONGEST_TEXT = 240;
const MOST_ARGUMENTS = 4;

/** What the timeline has of an event: a model's cost; what a message of an own type says. */
export type Priced = Pick<Span, "costUsd" | "isComputed"> & Partial<Pick<Span, "hint">>;

/** The span that tells more of an event than its message does. */
export function toldOf(event: StoredEvent, spans: readonly Span[]): Span | undefined {
  const { type, version } = event;
  return spans.find(
    ({ kind, to }) => to === version && (kind === "model" || (kind === type && isVendors(type))),
  );
}

/** What the lines of an event's row say; calls and results have one each. */
export function linesOf(event: StoredEvent, priced?: Priced): readonly Line[] {
  const { type, message } = event;
  const say = (name: string, ...texts: (string | null)[]): Line[] => {
    const text = texts.filter((part) => part !== null && part !== "").join(" · ");
    return [{ name, text, callId: string(message["callId"]) }];
  };
  const text = oneLine(message["text"]);
  switch (type) {
    case "input":
      return say("user", text, files(message["files"]));
    case "reply":
      return say("agent", text);
    case "reasoning":
      return say("reasoning", oneLine(message["title"]), oneLine(message["summary"]));
    case "tool_calls":
      return list(message["calls"]).map(callLine);
    case "tool_results":
      return list(message["results"]).map(resultLine);
    case "approval_request": {
      const call = `${oneLine(message["tool"])} ${argumentsText(message["args"])}`.trim();
      return say("approval", call, oneLine(message["reason"]));
    }
    case "approval_response": {
      const actor = string(event.metadata["actor"]);
      const by = actor === null ? null : `by ${actor}`;
      return say(
        message["approved"] === true ? "granted" : "denied",
        oneLine(message["reason"]),
        by,
      );
    }
    case "worker_spawned":
      return [workerLine(message, oneLine(message["objective"]))];
    case "worker_result": {
      const error = message["error"];
      const said = error === undefined || error === null ? message["output"] : error;
      return [workerLine(message, oneLine(said))];
    }
    case "llm_request":
      return say("model call", oneLine(message["model"]));
    case "llm_response":
      return say("model", oneLine(message["model"]), ...figures(message, priced));
    case "runtime_error":
      return say("error", oneLine(message["error"]));
    case "exit":
      return say(
        "exit",
        oneLine(message["reason"]).replaceAll("_", " "),
        oneLine(message["message"]),
      );
    case "shutdown":
    case "thread.closed":
    case "thread.hidden":
    case "thread.shown":
    case "thread.redacted":
      return say(nameOf(type), oneLine(message["reason"]));
    case "thread.started":
      return say("thread started", oneLine(message["goal"]));
    case "thread.forked": {
      const origin = fieldsIn(message, "forkedFrom");
      const at = `${oneLine(origin["thread"])} at ${oneLine(origin["version"])}`;
      return say("thread forked", `from ${at}`, oneLine(message["goal"]));
    }
    case "thread.annotated":
      return say("thread annotated", argumentsText(message["metadata"]));
    case "thread.noted":
    case "thread.labelled":
    case "thread.judged":
      return say(nameOf(type), ...remarkTexts(event).map(oneLine));
    default: {
      const payload = message["payload"];
      const read = Object.hasOwn(RECORDED, type) ? RECORDED[type] : ADDED.texts[type];
      const said = read === undefined ? payload : read(payload);
      return say(nameOf(type), text, (isVendors(type) ? priced?.hint : null) ?? oneLine(said));
    }
  }
}

/** What the payload of a recording's message says in a line. */
const RECORDED: Readonly<Record<string, (payload: Value) => Value>> = {
  "agentlog.exchange": exchangeText,
  "agentlog.mcp": (payload) => {
    const called = fieldsIn(payload, "params")["name"];
    const parts = [valueIn(payload, "server"), valueIn(payload, "method"), called];
    return parts.map(oneLine).filter(Boolean).join(" ");
  },
  "agentlog.rewritten": (payload) => count(number(valueIn(payload, "leftOut"))),
  "agentlog.request": (payload) => valueIn(payload, "model"),
  "agentlog.run": (payload) => fieldsIn(payload, "values")["cwd"],
};

function callLine(call: Fields): Line {
  const said = string(call["argumentsText"]);
  const args = call["args"];
  const callId = string(call["id"]);
  const name = oneLine(call["name"]);
  if (args !== undefined || said === null) return { name, text: argumentsText(args), callId };
  const parsed = parsedIn(said);
  if (parsed === undefined) return { name, text: oneLine(said), callId, isBroken: true };
  return { name, text: argumentsText(parsed), callId };
}

function resultLine(result: Fields): Line {
  const error = result["error"];
  const said = error === undefined || error === null ? result["output"] : error;
  const name =
    result["name"] === undefined || result["name"] === null ? "" : oneLine(result["name"]);
  return { name, text: oneLine(said), callId: string(result["callId"]) };
}

function workerLine(message: Fields, text: string): Line {
  const threadId = string(message["threadId"]);
  const line = { name: `worker ${oneLine(message["workerId"])}`, text, callId: null };
  return threadId === null ? line : { ...line, threadId };
}

function figures(message: Fields, priced: Priced | undefined): (string | null)[] {
  const usage = message["usage"];
  const tokens = usage === undefined || usage === null ? null : tokensText(usage as Fields);
  const usd = priced?.costUsd ?? number(message["costUsd"]);
  const computed = priced?.isComputed === true ? 1 : 0;
  const latency = number(message["latencyMs"]);
  return [
    tokens,
    usd === null ? null : cost(usd, computed),
    latency === null ? null : duration(latency),
  ];
}

function tokensText(usage: Fields): string {
  const [input, output] = [number(usage["inputTokens"]), number(usage["outputTokens"])];
  if (input === null && output === null) return `${count(number(usage["totalTokens"]))} tokens`;
  return `${count(input)} → ${count(output)} tokens`;
}

/** The arguments of a call: city: "Rome", days: 3. A single one stands without its name. */
export function argumentsText(args: Value): string {
  if (args === undefined || args === null) return "";
  if (typeof args !== "object" || Array.isArray(args)) return oneLine(args);
  const entries = Object.entries(args as Fields);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return oneLine(only[1]);
  const pairs = entries.slice(0, MOST_ARGUMENTS).map(([key, value]) => `${key}: ${oneLine(value)}`);
  return entries.length > MOST_ARGUMENTS ? `${pairs.join(", ")}, …` : pairs.join(", ");
}

/** The beginning of a value on one line; of an error with name and message, those. */
export function oneLine(value: Value): string {
  if (value === undefined) return "";
  const text =
    typeof value === "string" ? value : (partsText(value) ?? errorText(value) ?? printExact(value));
  const line = stripStyles(text.slice(0, 2 * LONGEST_TEXT))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}…` : line;
}

function errorText(value: Json): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { name, message } = value as Fields;
  if (typeof message !== "string") return null;
  return typeof name === "string" ? `${name}: ${message}` : message;
}

function files(value: Value): string | null {
  const items = list(value);
  if (items.length === 0) return null;
  const names = items.map(({ filename }) => string(filename)).filter((name) => name !== null);
  return names.length === 0 ? countOf(items.length, "file") : names.join(", ");
}

/** Parses JSON; undefined where the text is none. */
function parsedIn(text: string): Value {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function list(value: Value): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

function string(value: Value): string | null {
  return typeof value === "string" ? value : null;
}

function number(value: Value): number | null {
  return typeof value === "number" ? value : null;
}
