import { expect, test } from "vitest";
import type { Fold } from "../address";
import { ThreadTimeline } from "../timeline/threadTimeline";
import type { TimelineItem } from "../timeline/span";
import { TimelineIndex } from "../timeline/timelineIndex";
import { foldOf } from "./folding";
import { Closed } from "./groups/closed";
import { group } from "./groups/group.testing";
import { Groups } from "./groups/groups";
import { foldsIn, nextRow, Rows, typesIn, versionsOf } from "./rows";

const TYPES = ["input", "log", "tick", "reasoning", "reply", "log"];
const FOLDS = new Set<Fold>(["log", "reasoning"]);

function typeOf(version: number): string | null {
  return TYPES[version - 1] ?? null;
}

function rowsOf(more: Partial<ConstructorParameters<typeof Rows>[0]> = {}): Rows {
  const usual = { last: 6, only: null, folds: FOLDS, unfolded: new Set<number>() };
  return new Rows({ ...usual, typeOf, isNotable: () => false, ...more });
}

function rowTexts(rows: Rows): string[] {
  return Array.from({ length: rows.length }, (_, index) => {
    const { first, last, isOpen } = rows.row(index);
    return isOpen === null ? String(first) : `${isOpen ? "open" : "closed"} ${first}-${last}`;
  });
}

test("a run of folded events is one row", () => {
  expect(rowTexts(rowsOf())).toEqual(["1", "closed 2-4", "5", "closed 6-6"]);
});

test("an unfolded run keeps its row, and its events follow", () => {
  expect(rowTexts(rowsOf({ unfolded: new Set([2]) }))).toEqual([
    ...["1", "open 2-4", "2", "3", "4", "5"],
    "closed 6-6",
  ]);
});

const GROUPS = new Groups([group(2, 4, 0), group(3, 4, 1)]);

test("a group has a row at its beginning, and what follows stands deeper", () => {
  const rows = rowsOf({ groups: GROUPS, closed: new Closed(undefined) });
  expect(rowTexts(rows)).toEqual(["1", "open 2-2", "open 3-3", "closed 4-4", "5", "closed 6-6"]);
  expect([0, 1, 2, 3, 4, 5].map((index) => rows.depth(index))).toEqual([0, 0, 1, 2, 0, 0]);
  expect(rows.row(1).group?.version).toBe(2);
  expect(rows.row(3).group).toBeUndefined();
});

test("of a folded group only its row is drawn, and stands for all inside", () => {
  const rows = rowsOf({ groups: GROUPS, closed: new Closed("v2") });
  expect(rowTexts(rows)).toEqual(["1", "closed 2-2", "5", "closed 6-6"]);
  expect(rows.indexOf(4)).toBe(1);
  expect(nextRow(rows, 2, 1)).toBe(2);
  expect(rowTexts(rowsOf({ groups: GROUPS, closed: new Closed("v3") }))[2]).toBe("closed 3-3");
});

test("a run of folded events ends where a group ends", () => {
  const groups = new Groups([group(1, 3, 0)]);
  expect(rowTexts(rowsOf({ groups, closed: new Closed("") }))).toEqual([
    ...["open 1-1", "closed 2-3", "closed 4-4", "5", "closed 6-6"],
  ]);
});

test("what is notable is never folded", () => {
  const rows = rowsOf({ isNotable: (version) => version === 3 });
  expect(rowTexts(rows)).toEqual(["1", "closed 2-2", "3", "closed 4-4", "5", "closed 6-6"]);
});

test("an event of an unknown type is not folded", () => {
  expect(rowTexts(rowsOf({ last: 7 })).at(-1)).toBe("7");
});

test("a version is found in its row, also inside a run", () => {
  const rows = rowsOf();
  expect([1, 2, 4, 5, 6].map((version) => rows.indexOf(version))).toEqual([0, 1, 1, 2, 3]);
  expect(rowsOf({ unfolded: new Set([2]) }).indexOf(2)).toBe(2);
});

test("of a filtered list, a version between two rows belongs to the first", () => {
  const rows = rowsOf({ only: [2, 5] });
  expect(rowTexts(rows)).toEqual(["2", "5"]);
  expect([1, 2, 4, 6].map((version) => rows.indexOf(version))).toEqual([-1, 0, 0, 1]);
});

test("a step passes the head of an unfolded run, and ends at both ends of the list", () => {
  const rows = rowsOf({ unfolded: new Set([2]) }); // 1, open 2-4, 2, 3, 4, 5, closed 6-6
  expect(nextRow(rows, 1, 1)).toBe(2);
  expect(nextRow(rows, 2, -1)).toBe(0);
  expect(nextRow(rows, 6, 1)).toBeNull();
  expect(nextRow(rows, 1, -1)).toBeNull();
  expect(nextRow(rowsOf({ only: [5] }), 2, 1)).toBe(0);
  expect(nextRow(rowsOf({ only: [] }), 2, 1)).toBeNull();
});

test("a run says how many of which type it has", () => {
  expect(typesIn({ first: 2, last: 6, isOpen: false }, typeOf)).toEqual([
    ...[
      ["log", 2],
      ["tick", 1],
    ],
    ...[
      ["reasoning", 1],
      ["reply", 1],
    ],
  ]);
});

test("facts are folded as such, an application's own types not", () => {
  expect(["vendor.state", "thread.started"].map(foldOf)).toEqual([null, "facts"]);
});

test("an empty list of folds folds nothing, none stands for the usual", () => {
  expect(foldsIn("", ["log"]).size).toBe(0);
  expect([...foldsIn(undefined, ["log"])]).toEqual(["log"]);
});

function timelineOf(...items: Partial<TimelineItem>[]): ThreadTimeline {
  const index = new TimelineIndex();
  for (const item of items) {
    index.add({ kind: "call", version: null, startedAt: null, step: 1, ...item });
  }
  return new ThreadTimeline(index, [], "open", true);
}

const CALLS = timelineOf(
  { name: "search", version: 1, endVersion: 4, outcome: "failed" },
  { name: "track", version: 2, endVersion: 3 },
  { kind: "approval", name: "track", version: 5, endVersion: 6 },
);

test("filters by mark and tool keep both ends, of failures the one that failed", () => {
  const by = (filter: Partial<Parameters<typeof versionsOf>[1]>) =>
    versionsOf(CALLS, { only: undefined, hits: [], ...filter });
  expect(by({})).toBeNull();
  expect(by({ only: "tool" })).toEqual([1, 2, 3, 4]);
  expect(by({ only: "failed" })).toEqual([4]);
  expect(by({ only: "approval" })).toEqual([5, 6]);
  expect(by({ only: "hit", hits: [2, 4] })).toEqual([2, 4]);
});

test("an event that is drawn with another has no row, and is found in the other's", () => {
  const drawnWith = (version: number) => (version === 5 ? 1 : version);
  const rows = rowsOf({ folds: new Set(), drawnWith });
  expect(rowTexts(rows)).toEqual(["1", "2", "3", "4", "6"]);
  expect(rows.indexOf(5)).toBe(0);
  expect(nextRow(rows, 5, 1)).toBe(1);
  expect(rowTexts(rowsOf({ only: [1, 5, 6], drawnWith }))).toEqual(["1", "6"]);
});

test("a type folds by itself, an application's own too", () => {
  const type = (version: number) => (version === 2 ? "vendor.odd" : "reply");
  expect(rowTexts(rowsOf({ folds: new Set(["vendor.odd"]), typeOf: type, last: 3 }))).toEqual([
    ...["1", "closed 2-2", "3"],
  ]);
});
