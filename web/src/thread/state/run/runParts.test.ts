import { expect, test } from "vitest";
import { notAppliedOf, pathInPart, runParts, statePathOf, todosOf, workingFile } from "./runParts";

test("parts come in one order, each with what the event changed of it", () => {
  const parts = runParts({ store: { a: 1 } }, { store: { a: 2 }, files: { "/a": {} }, todos: [] });
  expect(parts.map(({ title, keys }) => [title, keys.map(({ change }) => change)])).toEqual([
    ["Files", ["added"]],
    ["Store", ["changed"]],
  ]);
  expect(runParts({}, {})).toEqual([]);
});

test("things to do are changed that were not there so before", () => {
  const look = { text: "look", status: "completed" };
  expect(todosOf({ todos: [look] }, { todos: [look, { text: "book", status: null }, 7] })).toEqual([
    { text: "look", status: "completed", isChanged: false },
    { text: "book", status: null, isChanged: true },
    { text: "7", status: null, isChanged: true },
  ]);
});

test("what is not known of a file stays null", () => {
  const file = { lines: null, changes: 2, lastRead: null, lastChanged: 4, deleted: true };
  expect(workingFile(file)).toEqual({
    lines: null,
    changes: 2,
    lastRead: null,
    lastChanged: 4,
    isDeleted: true,
  });
});

test("what does not apply is told", () => {
  const latest = [{ version: 3, path: "/store/a", reason: "there is no 'a'" }];
  expect(notAppliedOf({ notApplied: { count: 5, latest } })).toEqual({ count: 5, latest });
  expect(notAppliedOf({})).toBeNull();
});

test("a path is asked of the state that has its first name", () => {
  expect(statePathOf("$.store.a").view).toBe("run-state");
  expect(statePathOf(pathInPart("files", "/it's")).view).toBe("run-state");
  expect(pathInPart("files", "/it's")).toBe("$['files']['/it\\'s']");
  for (const path of ["$.step_count", "$..store", "$", "x"]) {
    expect(statePathOf(path).view).toBe("agent-state");
  }
});
