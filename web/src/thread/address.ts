import type { operations } from "../api/schema";
import {
  flagIn,
  keysOf,
  oneIn,
  prune,
  type Search,
  textIn,
  textsIn,
  wholeIn,
} from "../app/address";

/** The panels about one event, in the middle. */
export const EVENT_TABS = ["shown", "json", "raw", "proof"] as const;
/** The panels about the thread at this point, on the right. */
export const STATE_TABS = ["state", "model", "changes", "watch", "view"] as const;
/** The panel that shows each view: the list of views, or one of its own. */
const PANELS: Readonly<Record<ViewName, "view" | "own">> = {
  openai: "view",
  responses: "view",
  anthropic: "view",
  gemini: "view",
  "ag-ui": "view",
  source: "view",
  letta: "view",
  openletta: "view",
  maria: "view",
  kernel: "view",
  anomalies: "view",
  atif: "own",
  "agent-state": "own",
  "run-state": "own",
  timeline: "own",
  request: "own",
  remarks: "own",
};
/** What the panel `view` can show. */
export const VIEWS = keysOf(PANELS).filter((view) => PANELS[view] === "view");
/** What a jump looks for. */
export const MARKS = ["failed", "told", "suspected", "tool", "approval", "hit"] as const;
/**
 * What a reader may fold away: `log` has logs and ticks, `model` requests and responses,
 * `machinery` what the harness of a run did around it.
 */
export const FOLDS = ["reasoning", "log", "model", "machinery", "facts", "scratchpad"] as const;
/** What a phone shows of the three panes. */
export const PANES = ["history", "event", "state"] as const;
/** What a reader may see of the timeline. */
export const BARS = ["open", "line"] as const;

/** The last version, whichever it is. */
export const END = "end" as const;

export type EventTab = (typeof EVENT_TABS)[number];
export type StateTab = (typeof STATE_TABS)[number];
export type ViewName =
  operations["read_view_v1_threads__thread_id__views__view__get"]["parameters"]["path"]["view"];
export type Fold = (typeof FOLDS)[number];
export type Pane = (typeof PANES)[number];

/**
 * Where the reader of a thread is; all of it stands in the URL.
 *
 * `at` is the version under the cursor: the selected event, and the point that the state is of.
 * At `end` it is at the last, and follows a thread that grows. Without it the thread is opened where
 * `why/opening.ts` says.
 */
export interface ThreadAddress {
  at?: number | typeof END;
  /** Tab of the event pane; default `shown`. */
  event?: EventTab;
  /** Whether texts are shown as they are, not as markdown. */
  plain?: true;
  /** Tab of the state pane; default `state`. */
  state?: StateTab;
  /** Whether the tab `model` shows the request that the event came of, not what is sent next. */
  call?: true;
  /** View of the tab `view`; default `openai`. */
  view?: ViewName;
  /** Pinned versions; the tab `changes` shows what lies between them. */
  a?: number;
  b?: number;
  /** Whether the tab `changes` compares the two events, not what lies between them. */
  events?: true;
  /** JSONPath expressions over the state. */
  watch?: string[];
  /** Key of the state whose history is open. */
  key?: string;
  /** Filter of events, of words and terms: its matches are marks, and playing stops at them. */
  find?: string;
  /** Only events with this mark. */
  only?: (typeof MARKS)[number];
  /** Whether the history is read as cards, not listed in lines. */
  read?: true;
  /** What is folded away; default reasoning, log and model. An empty list folds nothing. */
  fold?: string;
  /** Groups of events that are folded, as `history/groups/closed.ts` reads them. */
  groups?: string;
  /** Shown part of the timeline, in milliseconds since the first message: `1000-90000`. */
  zoom?: string;
  /** Whether the timeline is open or folded to one line; default by the window's height. */
  bar?: (typeof BARS)[number];
  /** Lanes of the timeline whose rows are folded into one. */
  lanes?: string[];
  /** Pane to show where there is room for one only. */
  pane?: Pane;
  /** Whether the stream is paused. */
  paused?: true;
  /** Whether the thread is read though it is hidden. */
  hidden?: true;
}

/** Reads an address; what is unknown or wrong is left out. Pages of 0.25 wrote `only=error`. */
export function threadAddress(search: Search): ThreadAddress {
  return prune({
    at: wholeIn(search["at"], 1) ?? oneIn<typeof END>([END], search["at"]),
    event: oneIn(EVENT_TABS, search["event"]),
    plain: flagIn(search["plain"]),
    state: oneIn(STATE_TABS, search["state"]),
    call: flagIn(search["call"]),
    view: oneIn(VIEWS, search["view"]),
    a: wholeIn(search["a"], 0),
    b: wholeIn(search["b"], 0),
    events: flagIn(search["events"]),
    watch: textsIn(search["watch"]),
    key: textIn(search["key"]),
    find: textIn(search["find"]),
    only: search["only"] === "error" ? "failed" : oneIn(MARKS, search["only"]),
    read: flagIn(search["read"]),
    fold: typeof search["fold"] === "string" ? search["fold"] : undefined,
    groups: textIn(search["groups"]),
    zoom: textIn(search["zoom"]),
    bar: oneIn(BARS, search["bar"]),
    lanes: textsIn(search["lanes"]),
    pane: oneIn(PANES, search["pane"]),
    paused: flagIn(search["paused"]),
    hidden: flagIn(search["hidden"]),
  });
}
