import { createParser } from "eventsource-parser";
import { fetchWithKey } from "./client";
import { Problem } from "./problem";

export interface StreamedEvent {
  readonly event: string;
  /** Empty where the stream cannot be resumed after this frame. */
  readonly id: string;
  readonly data: string;
}

/** State of a stream; `waiting`: the connection broke, and another try follows. */
export type Connection = "connecting" | "open" | "waiting" | "refused" | "ended";

export interface StreamOptions {
  /** Path and query, without the place to begin: `/v1/log/events`. */
  readonly path: string;
  /** The id of the last frame seen, or null for the beginning. */
  readonly after: string | null;
  readonly onEvents: (events: StreamedEvent[]) => void;
  readonly onConnection: (connection: Connection) => void;
  readonly signal: AbortSignal;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/**
 * Follows a stream of server-sent events until the signal; after a break it goes on after the last
 * frame that it has seen. Events of one network read are handed over together.
 *
 * By `fetch`, because an EventSource cannot carry the key as a header.
 */
export async function follow(options: StreamOptions): Promise<void> {
  const { path, onEvents, onConnection, signal } = options;
  let after = options.after;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    onConnection("connecting");
    try {
      const headers: Record<string, string> = after === null ? {} : { "Last-Event-ID": after };
      const response = await fetchWithKey(path, { headers, signal });
      onConnection("open");
      wait = FIRST_WAIT_MS;
      for await (const events of batches(response)) {
        after = events.findLast(({ id }) => id !== "")?.id ?? after;
        onEvents(events);
      }
    } catch (error) {
      if (error instanceof Problem && error.status < 500 && error.status !== 429) {
        onConnection("refused");
        throw error;
      }
    }
    if (hasEnded(signal)) break;
    onConnection("waiting");
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
  onConnection("ended");
}

async function* batches(response: Response): AsyncGenerator<StreamedEvent[]> {
  if (response.body === null) return;
  let batch: StreamedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = "message", id = "", data }) => batch.push({ event, id, data }),
  });
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(text);
    if (batch.length > 0) yield batch;
    batch = [];
  }
}

/** A function, as the compiler would take `signal.aborted` for unchanged after a wait. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
