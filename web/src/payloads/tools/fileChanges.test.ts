import { expect, test } from "vitest";
import { fileChangesIn } from "./fileChanges";

test("an edit is the lines that it removes and adds, whatever the tool calls its arguments", () => {
  const lines = [
    { kind: "same", text: "a" },
    { kind: "removed", text: "b" },
    { kind: "added", text: "c" },
  ];
  const change = { path: "x.py", does: "edits", lines };
  const claude = { file_path: "x.py", old_string: "a\nb", new_string: "a\nc" };
  const opencode = { filePath: "x.py", oldString: "a\nb", newString: "a\nc" };
  const editor = { command: "str_replace", path: "x.py", old_str: "a\nb", new_str: "a\nc" };
  for (const args of [claude, opencode, editor]) {
    expect(fileChangesIn("any", args)).toEqual([change]);
  }
});

test("several edits of a file follow each other", () => {
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "" },
  ];
  const [change] = fileChangesIn("MultiEdit", { file_path: "x", edits });
  expect(change?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "removed a",
    "added b",
    "place …",
    "removed c",
  ]);
});

test("a file is written whole by a tool that writes, and not by one that reads", () => {
  const args = { file_path: "x", content: "a\nb\n" };
  expect(fileChangesIn("Write", args)).toMatchObject([{ does: "writes", lines: { length: 2 } }]);
  expect(fileChangesIn("send_mail", args)).toEqual([]);
  expect(fileChangesIn("Read", { file_path: "x" })).toEqual([]);
  expect(fileChangesIn("Read", null)).toEqual([]);
});

test("lines are inserted, and replaced in the editor of SWE-agent", () => {
  const inserted = { command: "insert", path: "x", insert_line: 3, new_str: "a" };
  expect(fileChangesIn("editor", inserted)).toMatchObject([{ lines: [{ text: "a" }] }]);
  const typed = { command: "edit 3:7\nnew\nlines\nend_of_edit\n" };
  expect(fileChangesIn("edit", typed)).toEqual([
    {
      path: "",
      does: "edits",
      lines: [
        { kind: "place", text: "lines 3:7" },
        { kind: "added", text: "new" },
        { kind: "added", text: "lines" },
      ],
    },
  ]);
});

test("a patch of Codex changes several files, as an input or as a part of a command", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.py",
    "@@ def f",
    " same",
    "-old",
    "+new",
    "*** Add File: b.py",
    "+b",
    "*** Delete File: c.py",
    "*** End Patch",
  ].join("\n");
  const changes = [
    {
      path: "a.py",
      does: "edits",
      lines: [
        { kind: "place", text: "@@ def f" },
        { kind: "same", text: "same" },
        { kind: "removed", text: "old" },
        { kind: "added", text: "new" },
      ],
    },
    { path: "b.py", does: "writes", lines: [{ kind: "added", text: "b" }] },
    { path: "c.py", does: "deletes", lines: [] },
  ];
  expect(fileChangesIn("apply_patch", patch)).toEqual(changes);
  expect(fileChangesIn("apply_patch", { input: patch })).toEqual(changes);
  expect(fileChangesIn("shell", { command: ["apply_patch", patch] })).toEqual(changes);
});
