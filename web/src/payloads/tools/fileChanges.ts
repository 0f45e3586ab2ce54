import { diffLines } from "diff";
import type { Json } from "../../api/exact";
import { isFields, listIn, textIn } from "../../thread/event/contents";
import { patchesIn } from "./patch";

/** A line of a change: as it was, added, removed; or a note of where it is. */
export interface ChangedLine {
  readonly kind: "same" | "added" | "removed" | "place";
  readonly text: string;
}

/** What a call does to a file. */
export interface FileChange {
  /** Empty for the file that the tool has open. */
  readonly path: string;
  readonly does: "edits" | "writes" | "deletes";
  readonly lines: readonly ChangedLine[];
}

const PATHS = ["file_path", "filePath", "path", "filename", "notebook_path"];
const BEFORE = ["old_string", "oldString", "old_str", "search"];
const AFTER = ["new_string", "newString", "new_str", "replace"];
const WHOLE = ["content", "file_text", "contents", "new_source"];
const INSERTED = ["insert_text", "new_str"];
const PATCHES = ["input", "patch", "patchText", "command", "cmd"];
const WRITES = /write|create|save/i;
/** The editor of SWE-agent: `edit 3:7`, the new lines, `end_of_edit`. */
const SWE_EDIT = /^edit (\d+:\d+)\n([\s\S]*?)\n?(?:end_of_edit|$)/;
/** Milliseconds that a comparison may take: it runs while the reader waits. */
const LONGEST_MS = 100;

/** The changes of files that a call's arguments ask for; none where they ask for something else. */
export function fileChangesIn(tool: string, args: Json): readonly FileChange[] {
  const patches = textsOf(args).flatMap(patchesIn);
  if (patches.length > 0) return patches;
  const change = isFields(args) ? changeIn(tool, args) : null;
  return change === null ? [] : [change];
}

function changeIn(tool: string, args: Json): FileChange | null {
  const typed = SWE_EDIT.exec(textIn(args, "command") ?? "");
  if (typed !== null) {
    const [, range = "", text = ""] = typed;
    const lines = [{ kind: "place", text: `lines ${range}` } as const, ...addedLines(text)];
    return { path: "", does: "edits", lines };
  }
  const path = firstOf(args, PATHS);
  const edits = listIn(args, "edits");
  const replaced = (edits.length > 0 ? edits : [args]).map(replacedIn).filter(isThere);
  if (replaced.length > 0) return { path: path ?? "", does: "edits", lines: joinChanges(replaced) };
  const line = textIn(args, "command") === "insert" ? firstOf(args, INSERTED) : null;
  if (path !== null && line !== null) return { path, does: "edits", lines: addedLines(line) };
  const whole = firstOf(args, WHOLE);
  const writes = WRITES.test(tool) || textIn(args, "command") === "create";
  if (path === null || whole === null || !writes) return null;
  return { path, does: "writes", lines: addedLines(whole) };
}

function replacedIn(edit: Json): readonly ChangedLine[] | null {
  const [before, after] = [firstOf(edit, BEFORE), firstOf(edit, AFTER)];
  return before === null || after === null ? null : changedLines(before, after);
}

/** Two texts as lines of one; first the old, then the new, where comparing takes too long. */
export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const changes = diffLines(endLine(before), endLine(after), { timeout: LONGEST_MS });
  if (changes === undefined) {
    return [...linesOf(before, "removed"), ...linesOf(after, "added")];
  }
  return changes.flatMap(({ added, removed, value }) =>
    linesOf(value, added ? "added" : removed ? "removed" : "same"),
  );
}

function joinChanges(changes: readonly (readonly ChangedLine[])[]): readonly ChangedLine[] {
  return changes.flatMap((lines, index) =>
    index === 0 ? lines : [{ kind: "place", text: "…" } as const, ...lines],
  );
}

function addedLines(text: string): ChangedLine[] {
  return linesOf(text, "added");
}

function linesOf(text: string, kind: ChangedLine["kind"]): ChangedLine[] {
  const lines = text.replace(/\n$/, "").split("\n");
  return text === "" ? [] : lines.map((line) => ({ kind, text: line }));
}

/** A last line without its break would differ from one with it. */
function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function textsOf(args: Json): string[] {
  if (typeof args === "string") return [args];
  return PATCHES.flatMap((name) => {
    const text = textIn(args, name);
    return text === null ? listIn(args, name).filter((path) => typeof path === "string") : [text];
  });
}

function firstOf(args: Json, names: readonly string[]): string | null {
  return names.map((name) => textIn(args, name)).find((text) => text !== null) ?? null;
}

function isThere<T>(value: T | null): value is T {
  return value !== null;
}
