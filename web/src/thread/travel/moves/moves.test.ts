import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Moves } from "./moves";

const went: string[] = [];
const go = (version: number, { replace }: { replace: boolean }) => {
  went.push(`${replace ? "replace" : "push"} ${version}`);
};
let moves: Moves;

beforeEach(() => {
  vi.useFakeTimers();
  went.length = 0;
  moves = new Moves(() => performance.now());
});
afterEach(() => {
  vi.useRealTimers();
});

test("each single move is an entry of the history, at once", () => {
  moves.move(2, go);
  moves.move(3, go);
  expect(went).toEqual(["push 2", "push 3"]);
});

test("a drag is one entry, at the pace that browsers allow, and ends where it was let go", () => {
  moves.move(1, go);
  for (let version = 2; version <= 60; version += 1) {
    vi.advanceTimersByTime(10);
    moves.move(version, go, { isContinued: true });
  }
  vi.advanceTimersByTime(100);
  expect(went[0]).toBe("push 1");
  expect(went.slice(1).every((move) => move.startsWith("replace"))).toBe(true);
  expect(went.length).toBeLessThanOrEqual(12);
  expect(went.at(-1)).toBe("replace 60");
});

test("a drag that begins at the cursor is an entry too", () => {
  moves.begin();
  moves.move(2, go, { isContinued: true });
  vi.advanceTimersByTime(100);
  moves.move(3, go, { isContinued: true });
  expect(went).toEqual(["push 2", "replace 3"]);
});

test("the target of a move is known before the address has changed", () => {
  let called = 0;
  moves.subscribe(() => (called += 1));
  moves.move(7, go);
  expect(moves.wanted).toBe(7);
  moves.arrive(6);
  expect(moves.wanted).toBe(7);
  moves.arrive(7);
  expect(moves.wanted).toBeNull();
  expect(called).toBe(2);
});

test("a move is given up if the address does not change", () => {
  moves.move(7, go);
  vi.advanceTimersByTime(1000);
  expect(moves.wanted).toBeNull();
});

test("steps in a row are one entry, and the first after another move is its own", () => {
  for (const version of [2, 3, 4]) {
    moves.move(version, go, { isStep: true });
    vi.advanceTimersByTime(100);
    moves.arrive(version);
  }
  moves.arrive(9); // a press on a row
  moves.move(10, go, { isStep: true });
  vi.runAllTimers();
  expect(went).toEqual(["push 2", "replace 3", "replace 4", "push 10"]);
});
