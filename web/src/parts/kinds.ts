import type { components } from "../api/schema";

/** The type word of a message; never of an application's own, whose word may be any. */
type Word<Message extends { type: string }> = Message extends unknown
  ? string extends Message["type"]
    ? never
    : Message["type"]
  : never;
/** The types of kernel messages. */
export type MessageType = Word<components["schemas"]["Message"]>;

/** What an event is of: its sign and colour. */
export type Group =
  | "user"
  | "agent"
  | "thought"
  | "tool"
  | "model"
  | "person"
  | "worker"
  | "score"
  | "state"
  | "note"
  | "bad"
  | "fact";

/** Spans of the timeline that one message begins and another ends. */
export type SpanKind = "call" | "model" | "approval" | "worker";

/** What the page knows of a type of message. */
export interface Kind {
  /** The name that readers see. */
  readonly name: string;
  readonly group: Group;
  /** What folds it away. */
  readonly fold?: "reasoning" | "log" | "model" | "machinery" | "scratchpad";
  /** Whether its text is markdown. */
  readonly isProse?: true;
  /** Whether it is a model's output, or asks for it. */
  readonly isAgents?: true;
  /** The span that it begins, or ends. */
  readonly begins?: SpanKind;
  readonly ends?: SpanKind;
}

const KINDS: Readonly<Record<MessageType, Kind>> = {
  input: { name: "input", group: "user", isProse: true },
  reply: { name: "reply", group: "agent", isProse: true, isAgents: true },
  reasoning: {
    ...{ name: "reasoning", group: "thought", fold: "reasoning" },
    ...{ isProse: true, isAgents: true },
  },
  scratchpad: { name: "scratchpad", group: "thought", fold: "scratchpad", isProse: true },
  tool_calls: { name: "tool calls", group: "tool", isAgents: true, begins: "call" },
  tool_results: { name: "tool results", group: "tool", ends: "call" },
  approval_request: { name: "approval asked", group: "person", begins: "approval" },
  approval_response: { name: "approval answered", group: "person", ends: "approval" },
  worker_spawned: { name: "worker spawned", group: "worker", begins: "worker" },
  worker_result: { name: "worker result", group: "worker", ends: "worker" },
  llm_request: {
    ...{ name: "model request", group: "model", fold: "model" },
    ...{ isAgents: true, begins: "model" },
  },
  llm_response: {
    ...{ name: "model response", group: "model", fold: "model" },
    ...{ isAgents: true, ends: "model" },
  },
  runtime_error: { name: "runtime error", group: "bad" },
  system: { name: "system", group: "note", isProse: true },
  log: { name: "log", group: "note", fold: "log" },
  tick: { name: "tick", group: "note", fold: "log" },
  shutdown: { name: "shutdown", group: "note" },
  exit: { name: "exit", group: "note" },
};

/** What extensions know of types: `kinds.ts` in their folders `web`. */
const ADDED = import.meta.glob<Readonly<Record<string, Kind>>>(
  "../../../agentlog/extensions/**/web/kinds.ts",
  { eager: true, import: "KINDS" },
);

/** Types of the messages that recordings add to those of the kernel, and checkpoints of LangGraph. */
const OTHERS: Readonly<Record<string, Kind>> = {
  "agentlog.run": { name: "recorded run", group: "model", fold: "model" },
  "agentlog.request": { name: "request parameters", group: "model", fold: "model" },
  "agentlog.exchange": { name: "exchange", group: "model", fold: "model" },
  "agentlog.mcp": { name: "MCP request", group: "tool", fold: "model" },
  "agentlog.rewritten": { name: "messages left out", group: "model" },
  "langgraph.checkpoint": { name: "checkpoint", group: "state" },
  "langgraph.writes": { name: "writes", group: "state" },
  ...(Object.assign({}, ...Object.values(ADDED)) as Readonly<Record<string, Kind>>),
};

/** What people and programs say about a thread; shown to no model. */
const REMARKS: Readonly<Record<string, Kind>> = {
  "thread.noted": { name: "note", group: "person" },
  "thread.labelled": { name: "labels", group: "person" },
  "thread.judged": { name: "judgement", group: "person" },
};

const FIRST = typesBy("begins");
const LAST = typesBy("ends");

const COLOURS: Partial<Record<Group, string>> = {
  user: "var(--user)",
  agent: "var(--agent)",
  thought: "var(--agent)",
  tool: "var(--tool)",
  model: "var(--model)",
  person: "var(--person)",
  worker: "var(--worker)",
  score: "var(--number)",
  state: "var(--key)",
  bad: "var(--bad)",
};

/** What is known of a type; of a fact that it is one, of an application's own type its name. */
export function kindOf(type: string): Kind {
  if (Object.hasOwn(KINDS, type)) return KINDS[type as MessageType];
  if (Object.hasOwn(OTHERS, type)) return OTHERS[type] as Kind;
  if (Object.hasOwn(REMARKS, type)) return REMARKS[type] as Kind;
  return isFact(type)
    ? { name: type.replace(".", " "), group: "fact" }
    : { name: type, group: "note" };
}

/** Whether an event is a fact of its thread, as `thread.closed`. */
export function isFact(type: string): boolean {
  return type.startsWith("thread.");
}

/** Whether a type is an application's own, or of a reader of its files, as `inspect.score`. */
export function isVendors(type: string): boolean {
  return type.includes(".") && !isFact(type) && !type.startsWith("agentlog.");
}

function typesBy(end: "begins" | "ends"): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(KINDS).flatMap(([type, { [end]: span }]) =>
      span === undefined ? [] : [[span, type]],
    ),
  );
}

/** The messages that begin and end spans of a kind; null for spans that one message is. */
export function endsOf(kind: string): { first: string; last: string } | null {
  const [first, last] = [FIRST.get(kind), LAST.get(kind)];
  return first === undefined || last === undefined ? null : { first, last };
}

/** Returns the name of a type: `tool calls`; an application's own type is its own name. */
export function nameOf(type: string): string {
  return kindOf(type).name;
}

/** Returns the name as a heading: `Tool calls`. */
export function titleOf(type: string): string {
  const { name } = kindOf(type);
  const isOurs = [KINDS, OTHERS].some((kinds) => Object.hasOwn(kinds, type)) || isFact(type);
  return isOurs ? name.charAt(0).toUpperCase() + name.slice(1) : name;
}

export function groupOf(type: string): Group {
  return kindOf(type).group;
}

/** Returns the colour of a group, as CSS has it; undefined where it has none of its own. */
export function colourOf(group: Group): string | undefined {
  return COLOURS[group];
}
