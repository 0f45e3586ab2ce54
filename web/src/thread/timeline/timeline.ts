import { useCallback, useSyncExternalStore } from "react";
import { queries } from "../../app/queries";
import { type Connection, follow, type StreamedEvent } from "../../api/stream";
import { useCursor } from "../cursor";
import { headQuery } from "../queries";
import { ThreadTimeline } from "./threadTimeline";
import { type Span, spanOf, type TimelineItem } from "./span";
import { TimelineIndex } from "./timelineIndex";

export type { ThreadTimeline, Timeline } from "./threadTimeline";
export type { Mark, Span } from "./span";
export type { Counts } from "./timelineIndex";

/** The state of the thread's stream, paused or not. */
export interface Standing {
  readonly connection: Connection;
  readonly loadedTo: number;
}

const BETWEEN_TELLINGS_MS = 100;

/** The stream of one thread while a component looks at it; one for the whole screen. */
class Following {
  timeline: ThreadTimeline;
  standing: Standing = { connection: "connecting", loadedTo: 0 };
  private readonly threadId: string;
  private index = new TimelineIndex();
  private open: readonly Span[] = [];
  private connection: Connection = "connecting";
  private upto = Infinity;
  private isPaused = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort: AbortController | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(threadId: string) {
    this.threadId = threadId;
    this.timeline = this.snapshot();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.begin();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.end();
    };
  };

  /** While paused, the timeline stays as it is once it is complete. */
  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.tellSoon();
  }

  private begin(): void {
    const abort = new AbortController();
    this.abort = abort;
    this.index = new TimelineIndex();
    this.open = [];
    void this.run(abort.signal).catch(() => undefined); // the screen shows why, by its own reads
  }

  private end(): void {
    this.abort?.abort();
    clearTimeout(this.timer);
    this.timer = undefined;
    followings.delete(this.threadId);
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { version } = await queries.query({ ...headQuery(this.threadId), staleTime: "static" });
    this.upto = version;
    await follow({
      path: `/v1/threads/${this.threadId}/events?view=timeline&hint=true&attempts=true`,
      after: null,
      signal,
      onEvents: (events) => {
        events.forEach(this.take);
        this.tellSoon();
      },
      onConnection: (connection) => {
        if (signal.aborted) return;
        this.connection = connection;
        // the stream sends all open spans again, and nothing where there are none
        if (connection === "open") this.open = [];
        this.tellSoon();
      },
    });
  }

  private readonly take = ({ event, data }: StreamedEvent): void => {
    if (event === "item") {
      this.index.add(JSON.parse(data) as TimelineItem);
    } else if (event === "held") {
      const items = JSON.parse(data) as TimelineItem[];
      this.open = items.map(spanOf);
      items.forEach((item, index) => {
        const span = this.open[index];
        if (span !== undefined) this.index.see(span, item.step);
      });
    }
  };

  private tellSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.standing = { connection: this.connection, loadedTo: this.index.loadedTo };
      if (!(this.isPaused && this.timeline.isComplete)) this.timeline = this.snapshot();
      for (const listener of this.listeners) listener();
    }, BETWEEN_TELLINGS_MS);
  }

  private snapshot(): ThreadTimeline {
    const isComplete = this.index.loadedTo >= this.upto;
    return new ThreadTimeline(this.index, this.open, this.connection, isComplete);
  }
}

const followings = new Map<string, Following>();

function followingOf(threadId: string): Following {
  const following = followings.get(threadId) ?? new Following(threadId);
  followings.set(threadId, following);
  return following;
}

/** The timeline of the thread that is open; another object when it has grown. */
export function useTimeline(): ThreadTimeline {
  const { threadId } = useCursor();
  const following = followingOf(threadId);
  return useSyncExternalStore(following.subscribe, () => following.timeline);
}

/** The state of the open thread's stream, and a function that pauses the timeline. */
export function useStanding(): Standing & { readonly pause: (isPaused: boolean) => void } {
  const { threadId } = useCursor();
  const following = followingOf(threadId);
  const standing = useSyncExternalStore(following.subscribe, () => following.standing);
  const pause = useCallback(
    (isPaused: boolean) => {
      following.pause(isPaused);
    },
    [following],
  );
  return { ...standing, pause };
}
