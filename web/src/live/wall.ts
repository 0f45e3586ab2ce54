import type { Json } from "../api/exact";
import { isQuiet } from "../parts/activity";
import type { StoredEvent } from "../thread/history/events";
import type { Summary } from "../threads/standing";

/** Threads that wait for a person, the longest first; those at work, by their start; how many more are open. */
export interface Wall {
  readonly waiting: readonly Summary[];
  readonly atWork: readonly Summary[];
  readonly quiet: number;
}

/** Sorts open threads; `total` counts all of them, also those that are not among these. */
export function wallOf(open: readonly Summary[], total: number, now: number): Wall {
  const waiting = open.filter(({ approvalsPending }) => approvalsPending > 0);
  const atWork = open.filter(
    (thread) => thread.approvalsPending === 0 && !isQuiet({ ...thread, status: "open" }, now),
  );
  return {
    waiting: waiting.toSorted((one, other) => one.updatedAt.localeCompare(other.updatedAt)),
    atWork: atWork.toSorted((one, other) => other.startedAt.localeCompare(one.startedAt)),
    quiet: Math.max(0, total - waiting.length - atWork.length),
  };
}

/** What a thread costs in a minute, over the time that it has run; null where that is not known. */
export function costPerMinute({ costUsd, durationMs }: Summary): number | null {
  if (costUsd === null || durationMs === null || durationMs <= 0) return null;
  return costUsd / (durationMs / 60_000);
}

/** A request for approval without an answer. */
export interface Pending {
  readonly callId: string;
  readonly version: number;
  readonly tool: string;
  readonly args: Json;
  readonly reason: string | null;
  readonly askedAt: string;
}

/** Returns the requests among a thread's requests and responses that have no answer. */
export function pendingOf(events: readonly StoredEvent[]): Pending[] {
  const pending = new Map<string, Pending>();
  for (const { type, message, version, recordedAt } of events) {
    const callId = textOf(message["callId"]);
    if (callId === null) continue;
    if (type === "approval_response") pending.delete(callId);
    if (type !== "approval_request") continue;
    pending.set(callId, {
      callId,
      version,
      tool: textOf(message["tool"]) ?? "",
      args: message["args"] ?? null,
      reason: textOf(message["reason"]),
      askedAt: recordedAt,
    });
  }
  return [...pending.values()];
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
