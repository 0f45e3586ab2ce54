import type { RunParting, RunSet } from "../queries";

/** Threads that are opened side by side, at most. */
const MOST_SIDES = 5;

/** A thread of each branch of a parting: the branch that most runs took first. */
export function oneOfEach({ branches }: RunParting): string[] {
  return branches
    .toSorted((one, other) => other.runs - one.runs)
    .flatMap(({ threads }) => threads.slice(0, 1))
    .slice(0, MOST_SIDES);
}

/**
 * Two runs of a task to open side by side: one that succeeded and one that failed, where there are
 * both; else two that part first; else the first two.
 */
export function pairOf({ threads, partings }: RunSet): string[] {
  const good = threads.find(({ verdict }) => verdict === "succeeded");
  const bad = threads.find(({ verdict }) => verdict === "failed");
  if (good !== undefined && bad !== undefined) return [good.threadId, bad.threadId];
  const parting = partings[0];
  const threadIds =
    parting === undefined ? threads.map(({ threadId }) => threadId) : oneOfEach(parting);
  return threadIds.slice(0, 2);
}

/** Whether some runs failed and others did not. */
export function isMixed({ failed, succeeded }: RunSet): boolean {
  return failed > 0 && succeeded > 0;
}

/** Whether it is not known of any run that it failed or succeeded. */
export function isUnknown({ failed, succeeded }: RunSet): boolean {
  return failed === 0 && succeeded === 0;
}

/** A metadata value as it is written: texts without their quotes. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
