import { expect, test } from "vitest";
import {
  chosenColumns,
  COLUMNS,
  direction,
  layout,
  nextSort,
  ordersOf,
  toggleColumn,
  USUAL,
  withoutEmptyGoals,
} from "./columns";

const columnOf = (id: string) => {
  const match = COLUMNS.find((column) => column.id === id);
  if (match === undefined) throw new Error(`no column ${id}`);
  return match;
};

test("columns stand in one order, unknown ones are left out, the thread is always there", () => {
  const columns = chosenColumns(["metadata.team", "costUsd", "nothing", "status"]);
  expect(columns.map(({ id }) => id)).toEqual(["threadId", "status", "costUsd", "metadata.team"]);
});

test("a column toggled twice leaves the usual ones, which the address does not name", () => {
  const more = toggleColumn("policy");
  expect(more).toEqual([...USUAL, "policy"]);
  expect(toggleColumn("policy", more)).toBeUndefined();
});

test("figures sort from the largest, texts from the first; a second press reverses", () => {
  const cost = columnOf("costUsd");
  expect(nextSort(cost, "-position")).toBe("-costUsd");
  expect(nextSort(cost, "-costUsd")).toBe("costUsd");
  expect(nextSort(columnOf("goal"), "-costUsd")).toBe("goal");
  expect(nextSort(columnOf("goal"), "goal")).toBe("-goal");
});

test("by default the latest events come first, and the address does not say so", () => {
  const moved = columnOf("updatedAt");
  expect(direction(moved, "-position")).toBe("descending");
  expect(nextSort(moved, "-position")).toBe("position");
  expect(nextSort(moved, "position")).toBeUndefined();
});

test("a key of metadata is an order, metadata as a whole is none", () => {
  const [, team] = chosenColumns(["metadata.team"]);
  if (team === undefined) throw new Error("no column");
  expect(nextSort(team, "-position")).toBe("metadata.team");
  expect(direction(team, "-metadata.team")).toBe("descending");
  expect(direction(columnOf("metadata"), "-")).toBeNull();
});

test("the orders of a phone have the keys of metadata too", () => {
  const orders = ordersOf(["team"]);
  expect(orders[0]).toEqual(["-position", "Last moved first"]);
  expect(orders.at(-1)).toEqual(["metadata.team", "By team"]);
});

test("where no thread has a goal, metadata has its room", () => {
  const columns = [columnOf("goal"), columnOf("metadata")];
  expect(withoutEmptyGoals(columns, [{ goal: null }]).map(({ id }) => id)).toEqual(["metadata"]);
  expect(withoutEmptyGoals(columns, [{ goal: null }, { goal: "x" }])).toEqual(columns);
});

test("a layout without goal and metadata leaves the rest of the width empty", () => {
  expect(layout([columnOf("steps")]).template).toBe("34px 58px 1fr");
  expect(layout([columnOf("goal"), columnOf("steps")])).toEqual({
    template: "34px minmax(164px, 3fr) 58px",
    width: 34 + 164 + 58,
  });
});
