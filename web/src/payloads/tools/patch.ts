import type { ChangedLine, FileChange } from "./fileChanges";

const BEGINS = "*** Begin Patch";
const HEAD = /^\*\*\* (Add|Update|Delete) File: (.*)$/;
const DOES = { Add: "writes", Update: "edits", Delete: "deletes" } as const;
const SIGNS: Partial<Record<string, ChangedLine["kind"]>> = {
  "+": "added",
  "-": "removed",
  " ": "same",
  "@": "place",
};

/** The files of a patch as Codex writes it, `*** Begin Patch`; none where a text has no such. */
export function patchesIn(text: string): FileChange[] {
  const begin = text.indexOf(BEGINS);
  if (begin < 0) return [];
  const changes: (Omit<FileChange, "lines"> & { lines: ChangedLine[] })[] = [];
  for (const line of text.slice(begin).split("\n").slice(1)) {
    const head = HEAD.exec(line);
    if (head !== null) {
      changes.push({ path: head[2] ?? "", does: DOES[head[1] as keyof typeof DOES], lines: [] });
      continue;
    }
    const kind = SIGNS[line.charAt(0)];
    if (line.startsWith("*** End Patch")) break;
    if (kind !== undefined) {
      changes.at(-1)?.lines.push({ kind, text: kind === "place" ? line : line.slice(1) });
    }
  }
  return changes;
}
