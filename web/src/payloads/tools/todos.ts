import type { Json } from "../../api/exact";
import { listIn, textIn } from "../../thread/event/contents";

/** A thing to do, of a list that an agent keeps. */
export interface Todo {
  readonly text: string;
  readonly is: "done" | "doing" | "open";
}

const STATES: Partial<Record<string, Todo["is"]>> = {
  completed: "done",
  done: "done",
  in_progress: "doing",
};

/** The list of things to do that a call writes: Claude Code's todos, Codex's plan; else null. */
export function todosIn(args: Json): readonly Todo[] | null {
  const entries = [...listIn(args, "todos"), ...listIn(args, "plan")];
  const todos = entries.flatMap((entry): Todo[] => {
    const text = textIn(entry, "content") ?? textIn(entry, "step");
    const state = textIn(entry, "status");
    return text === null || state === null ? [] : [{ text, is: STATES[state] ?? "open" }];
  });
  return todos.length === 0 || todos.length < entries.length ? null : todos;
}
