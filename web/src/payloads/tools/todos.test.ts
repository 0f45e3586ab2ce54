import { expect, test } from "vitest";
import { todosIn } from "./todos";

test("the todos of Claude Code and the plan of Codex are one list", () => {
  const todos = [
    { content: "look", status: "completed", activeForm: "Looking" },
    { content: "fix", status: "in_progress" },
  ];
  expect(todosIn({ todos })).toEqual([
    { text: "look", is: "done" },
    { text: "fix", is: "doing" },
  ]);
  expect(todosIn({ plan: [{ step: "test", status: "pending" }] })).toEqual([
    { text: "test", is: "open" },
  ]);
});

test("what is no list of things to do is none", () => {
  for (const args of [null, "x", {}, { todos: [] }, { todos: ["x"] }, { plan: [{ step: "a" }] }]) {
    expect(todosIn(args)).toBeNull();
  }
});
