import type { ReactElement } from "react";
import type { Json } from "./api/exact";
import type { Recorded } from "./thread/event/contents";

/** Draws a payload by what it means; null where it is best read as JSON. */
export type Draw = (payload: Json) => ReactElement | null;

/** A fork that may be made: of a recorded thread, at a version, with the id that was named. */
export interface ForkPlace {
  readonly threadId: string;
  readonly at: number;
  readonly as: string;
}

/**
 * What an extension adds to the page: `page.tsx` in a folder `web` of it exports it as `PAGE`, and
 * `kinds.ts` beside it what is known of types of messages as `KINDS`.
 */
export interface PageParts {
  /** How payloads are drawn, by type; each has a story in `stories.json`. */
  readonly payloads?: Readonly<Record<string, Draw>>;
  /** How events are drawn whole, by type. */
  readonly events?: Readonly<Record<string, (props: { event: Recorded }) => ReactElement>>;
  /** What a payload says in a line of the history, by type. */
  readonly texts?: Readonly<Record<string, (payload: Json | undefined) => Json | undefined>>;
  /** What stands below the form that forks a recorded thread. */
  readonly Forking?: (props: ForkPlace) => ReactElement | null;
}

const PARTS: readonly PageParts[] = Object.values(
  import.meta.glob<PageParts>("../../agentlog/extensions/**/web/page.tsx", {
    eager: true,
    import: "PAGE",
  }),
);

/** What the extensions add whose folders were there when the page was built. */
export const ADDED = {
  payloads: merge(PARTS.map(({ payloads }) => payloads)),
  events: merge(PARTS.map(({ events }) => events)),
  texts: merge(PARTS.map(({ texts }) => texts)),
  forking: PARTS.flatMap(({ Forking }) => Forking ?? []),
};

function merge<T>(maps: readonly (Readonly<Record<string, T>> | undefined)[]) {
  // without a prototype: an application's own type may have any name
  return Object.assign(Object.create(null) as object, ...maps) as Readonly<
    Partial<Record<string, T>>
  >;
}
