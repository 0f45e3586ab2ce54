import { useQuery } from "@tanstack/react-query";
import { headQuery } from "../thread/queries";
import type { Side } from "./queries";

/** Up to which version two threads are one: of a fork without edits, beside its origin; else null. */
export function useCopied(sides: readonly Side[]): number | null {
  const [first, second] = sides;
  const isPair = sides.length === 2;
  const one = useQuery({ ...headQuery(first?.threadId ?? ""), enabled: isPair }).data;
  const other = useQuery({ ...headQuery(second?.threadId ?? ""), enabled: isPair }).data;
  return copiedOf(other, first?.threadId) ?? copiedOf(one, second?.threadId);
}

type Forked = { readonly forkedFrom: Origin | null } | undefined;
interface Origin {
  readonly thread: string;
  readonly version: number;
  readonly edits: readonly unknown[];
}

/** The version up to which a thread is copied from another one without edits; else null. */
export function copiedOf(head: Forked, origin: string | undefined): number | null {
  const forkedFrom = head?.forkedFrom ?? null;
  if (forkedFrom === null || forkedFrom.thread !== origin) return null;
  return forkedFrom.edits.length === 0 ? forkedFrom.version : null;
}
