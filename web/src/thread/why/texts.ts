import { cost, count, countOf, duration, ordinal } from "../../parts/format";
import { wordsOf } from "../../parts/Words";
import type { RunCall, Why } from "./queries";

/** What says the outcome: who judged it or the tenant's rule, scores, and how the run ended. */
export function outcomeText({ outcome }: Why): string {
  const scores = Object.entries(outcome.scores).map(([name, value]) => `${name} ${String(value)}`);
  const end =
    outcome.end === null ? "no end on record" : `ended: ${outcome.end.replaceAll("_", " ")}`;
  return [...basisTexts(outcome), ...scores, end].join(" · ");
}

function basisTexts({ basis, judgedBy }: Why["outcome"]): readonly string[] {
  if (basis === "judgement") return [judgedBy === null ? "as judged" : `judged by ${judgedBy}`];
  return basis === "rule" ? ["by the rule"] : [];
}

/** What failed first, else what is first told or suspected: its name, and its rules and text. */
export function failureText({ failure, doubt }: Why): {
  readonly name: string;
  readonly text: string;
} {
  const first = failure ?? doubt;
  if (first === null) return { name: "", text: "nothing failed, and no rule suspects anything" };
  const { call, kind, name, rules, text } = first;
  // of what is told, its own words say why
  const doubted = first.word === "suspected" ? rules : [];
  const why = doubted.map((rule) => `[${rule.replaceAll("_", " ")}?]`);
  return {
    name: call === null ? [kind.replaceAll("_", " "), name].filter(Boolean).join(" ") : label(call),
    text: [...why, text ?? ""].join(" ").trim(),
  };
}

/** What a reader should see first: what failed on record, else what is told to have. */
export function leadOf({ failure, doubt }: Why): Why["failure"] {
  return failure ?? (doubt?.word === "told" ? doubt : null);
}

/** The name of the line of what failed, is told or suspected first. */
export function failureName({ failure, doubt }: Why): string {
  if (failure !== null || doubt === null) return "First failure";
  return doubt.word === "told" ? "First told" : "First suspected";
}

/** A call with what tells it apart, and which attempt it is. */
export function callText(call: RunCall): string {
  return [label(call), call.arguments ?? ""].join(" ").trim();
}

function label({ name, attempt, attempts }: RunCall): string {
  return attempt === null ? name : `${name}, ${ordinal(attempt)} of ${attempts ?? attempt}`;
}

/** What the run took, all of it. */
export function effortText(why: Why): string {
  const { total } = why;
  const parts = [
    countOf(total.calls, "call"),
    ...wordsOf(why).map(([word, number]) => `${count(number)} ${word}`),
    total.elapsedMs !== null && duration(total.elapsedMs),
    total.costUsd !== null && cost(total.costUsd, total.computedCalls),
    otherCost(total),
  ];
  return parts.filter((part) => part !== false).join(" · ");
}

const LEAST_SHOWN = 0.000_05;

/** The cost that stands against that of the run, where it states one of its own. */
function otherCost({ costUsd, statedCostUsd, callsCostUsd }: Why["total"]): string | false {
  if (statedCostUsd === null || callsCostUsd === null) return false;
  if (Math.abs(statedCostUsd - callsCostUsd) < LEAST_SHOWN) return false;
  if (costUsd === statedCostUsd) return `its model calls together ${cost(callsCostUsd, 0)}`;
  return `the run states ${cost(statedCostUsd, 0)}`;
}

/** A loop: how often what was called. */
export function loopText({ name, times, equal }: Why["loops"][number]): string {
  return `${name} ${times} times, ${equal ? "" : "nearly "}the same`;
}
