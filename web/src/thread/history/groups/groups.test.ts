import { expect, test } from "vitest";
import { group } from "./group.testing";
import { Groups } from "./groups";

const GROUPS = new Groups([group(2, 10, 0), group(3, 5, 1), group(4, 5, 2), group(12, 14, 0)]);

test("a version lies in groups, the innermost first", () => {
  const versions = (at: number) => GROUPS.at(at).map(({ version }) => version);
  expect(versions(1)).toEqual([]);
  expect(versions(5)).toEqual([4, 3, 2]);
  expect(versions(6)).toEqual([2]);
  expect(versions(11)).toEqual([]);
  expect(versions(12)).toEqual([12]);
  expect(versions(99)).toEqual([]);
});

test("an event that begins a group stands beside it, not in it", () => {
  expect([1, 2, 3, 4, 5, 6, 12, 13].map((at) => GROUPS.depthAt(at))).toEqual([
    ...[0, 0, 1, 2, 3, 1, 0, 1],
  ]);
});
