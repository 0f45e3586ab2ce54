import { api, dataOf } from "../../api/client";
import type { components } from "../../api/schema";
import { canHash } from "../hashes/bytes";
import { GENESIS, type Verified } from "./chain";
import { verifyThread } from "./verification";

export type Audit = components["schemas"]["Audit"];

/** What is known of a thread's chain; `audit` is what the service says, asked once per check. */
export interface ChainState {
  readonly step: "unavailable" | "unchecked" | "checking" | "checked" | "failed";
  readonly verified: Verified;
  /** Version of the thread's last event. */
  readonly last: number;
  readonly audit: Audit | null;
  readonly error: unknown;
}

/** A thread of at most this many events is verified without a request of the reader. */
const SHORT = 2000;

/** Verifies one thread's chain, and the new events as the thread grows. */
export class ChainCheck {
  readonly #threadId: string;
  readonly #listeners = new Set<() => void>();
  #running: AbortController | null = null;
  #state: ChainState = {
    step: canHash() ? "unchecked" : "unavailable",
    verified: GENESIS,
    last: 0,
    audit: null,
    error: null,
  };

  constructor(threadId: string) {
    this.#threadId = threadId;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): ChainState => this.#state;

  /** Called with the thread's version: starts on a short thread, goes on with a verified one. */
  grow(last: number): void {
    this.#set({ last: Math.max(last, this.#state.last) });
    const { step, verified } = this.#state;
    if (step === "unchecked" && last <= SHORT) void this.#run(GENESIS);
    else if (step === "checked" && verified.version < last) void this.#run(verified);
  }

  /** Verifies from the first event. */
  begin(): void {
    if (this.#state.step !== "unavailable") void this.#run(GENESIS);
  }

  /** Ends what is under way; `grown` or `begin` start again. */
  stop(): void {
    this.#running?.abort();
    this.#running = null;
    if (this.#state.step === "checking") this.#set({ step: "unchecked", verified: GENESIS });
  }

  async #run(from: Verified): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    const audit = from === GENESIS ? null : this.#state.audit;
    this.#set({ step: "checking", verified: from, audit, error: null });
    const onProgress = (verified: Verified, last: number): void => {
      if (!signal.aborted) this.#set({ verified, last: Math.max(last, this.#state.last) });
    };
    try {
      const verified = await verifyThread(this.#threadId, from, onProgress, signal);
      if (signal.aborted) return;
      // a new redaction changes events that were verified before it
      if (from !== GENESIS && count(verified) > count(from)) {
        await this.#run(GENESIS);
        return;
      }
      this.#set({ step: "checked", verified });
      // not at the same time: the service reads the same events for both
      if (from === GENESIS) this.#set({ audit: await this.#audit(signal) });
      if (verified.version < this.#state.last) this.grow(this.#state.last);
    } catch (error) {
      if (!signal.aborted) this.#set({ step: "failed", error });
    }
  }

  async #audit(signal: AbortSignal): Promise<Audit> {
    const params = { path: { thread_id: this.#threadId } };
    return dataOf(await api.GET("/v1/threads/{thread_id}/audit", { params, signal }));
  }

  #set(part: Partial<ChainState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

function count({ redactions }: Verified): number {
  return Object.keys(redactions).length;
}
