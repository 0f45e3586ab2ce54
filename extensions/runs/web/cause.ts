import type { Json } from "#page/api/exact";
import { listIn, numberIn, textIn, valueIn } from "#page/thread/event/contents";

/** Runs of an experiment, with the steps of the good run or without. */
export interface Arm {
  readonly passed: number;
  /** Those that count. */
  readonly runs: number;
  /** The ends of the interval of 95 % of its rate, from 0 to 1; null where they are not known. */
  readonly low: number | null;
  readonly high: number | null;
  /** The forks by what came of them. */
  readonly forks: readonly { readonly name: string; readonly ids: readonly string[] }[];
}

export interface Step {
  /** What is put in its place: an answer or a result. */
  readonly kind: string;
  readonly version: number;
}

export interface Experiment {
  readonly steps: readonly Step[];
  readonly verdict: string;
  readonly changed: Arm;
  readonly control: Arm;
}

/** What `agentlog cause` found: experiments in their order, and the steps that are the cause. */
export interface Cause {
  readonly experiments: readonly Experiment[];
  readonly steps: readonly Step[];
}

const FORKS = [
  ["passedForks", "passed"],
  ["failedForks", "failed"],
  ["uncountedForks", "do not count"],
] as const;

export function causeIn(payload: Json | undefined): Cause {
  const kinds = new Map(
    listIn(payload, "candidates").map((step) => [numberIn(step, "version"), textIn(step, "kind")]),
  );
  const steps = (of: Json | undefined, name: string): Step[] =>
    listIn(of, name)
      .filter((version) => typeof version === "number")
      .map((version) => ({ version, kind: kinds.get(version) ?? "step" }));
  return {
    steps: steps(payload, "cause"),
    experiments: listIn(payload, "experiments").map((experiment) => ({
      steps: steps(experiment, "steps"),
      verdict: (textIn(experiment, "verdict") ?? "undecided").replaceAll("_", " "),
      changed: armIn(valueIn(experiment, "changed")),
      control: armIn(valueIn(experiment, "control")),
    })),
  };
}

function armIn(arm: Json | undefined): Arm {
  return {
    passed: numberIn(arm, "passed") ?? 0,
    runs: numberIn(arm, "runs") ?? 0,
    low: numberIn(arm, "low"),
    high: numberIn(arm, "high"),
    forks: FORKS.map(([field, name]) => ({
      name,
      ids: listIn(arm, field).filter((id) => typeof id === "string"),
    })).filter(({ ids }) => ids.length > 0),
  };
}

/** The cause in a line, as the history has it: `answer at 9`. */
export function causeText(payload: Json | undefined): string {
  return stepsText(causeIn(payload).steps) || "none shown";
}

export function stepsText(steps: readonly Step[]): string {
  return steps.map(({ kind, version }) => `${kind} at ${version}`).join(", ");
}

/** How many of an arm passed, with its interval, in words. */
export function armText({ passed, runs, low, high }: Arm): string {
  const of = `${passed} of ${runs} passed`;
  if (low === null || high === null) return of;
  return `${of}, interval of 95 % from ${low.toFixed(2)} to ${high.toFixed(2)}`;
}
