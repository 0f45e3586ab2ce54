import type { ReactElement } from "react";
import type { Json } from "../../api/exact";
import { Code } from "../../parts/text/Code";
import { Markdown } from "../../parts/text/Markdown";
import { listIn, textIn } from "../../thread/event/contents";
import { type FileChange, fileChangesIn } from "./fileChanges";
import styles from "./tools.module.css";
import { type Todo, todosIn } from "./todos";

/** Lines of a change that are drawn: the arguments have all. */
const MOST_LINES = 400;
/** Characters of a call that are read as well in one line. */
export const LONGEST_HEADING = 100;

/** What a call does, drawn as what it is; null where its arguments are best shown as such. */
export function toolShown(tool: string, args: Json): ReactElement | null {
  const changes = fileChangesIn(tool, args);
  if (changes.length > 0) return <FileChanges changes={changes} />;
  const todos = todosIn(args);
  if (todos !== null) return <Todos todos={todos} />;
  const prompt = promptIn(tool, args);
  if (prompt !== null) return <Markdown text={prompt} />;
  const command = commandIn(args);
  if (command === null) return null;
  return <Code text={command} language={/python/i.test(tool) ? "python" : "bash"} />;
}

/** What a sub-agent is sent off with: by Claude Code's `Task` and `Agent`, Codex's `spawn_agent`. */
function promptIn(tool: string, args: Json): string | null {
  if (tool === "spawn_agent") return textIn(args, "message");
  return textIn(args, "description") === null ? null : textIn(args, "prompt");
}

/** A command that a line of a heading has no room for. */
function commandIn(args: Json): string | null {
  const parts = listIn(args, "command").filter((part) => typeof part === "string");
  const text = textIn(args, "command") ?? textIn(args, "cmd") ?? textIn(args, "code");
  const command = (text ?? parts.join(" ")).trim();
  return command.includes("\n") || command.length > LONGEST_HEADING ? command : null;
}

const SIGNS = { same: " ", added: "+", removed: "−", place: " " };
const DOES = { edits: "Edit", writes: "Write", deletes: "Delete" };

function FileChanges({ changes }: { changes: readonly FileChange[] }) {
  return (
    <>
      {changes.map(({ path, does, lines }, index) => (
        <figure key={index} className={styles["change"]}>
          <figcaption>
            {DOES[does]} <strong>{path === "" ? "the open file" : path}</strong>
          </figcaption>
          <pre>
            {lines.slice(0, MOST_LINES).map(({ kind, text }, index) => (
              <span key={index} data-kind={kind}>
                {`${SIGNS[kind]} ${text}\n`}
              </span>
            ))}
          </pre>
          {lines.length > MOST_LINES && <p>… {lines.length - MOST_LINES} more lines</p>}
        </figure>
      ))}
    </>
  );
}

const MARKS = { done: "☑", doing: "▣", open: "☐" };
const STATES = { done: "done", doing: "in progress", open: "to do" };

function Todos({ todos }: { todos: readonly Todo[] }) {
  return (
    <ul className={styles["todos"]}>
      {todos.map(({ text, is }, index) => (
        <li key={index} data-is={is}>
          <span role="img" aria-label={STATES[is]}>
            {MARKS[is]}
          </span>{" "}
          {text}
        </li>
      ))}
    </ul>
  );
}
