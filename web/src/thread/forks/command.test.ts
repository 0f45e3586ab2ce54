import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { forkCommand, quote } from "./command";

const FORKING = { threadId: "t", at: 3, as: "", change: "none", file: "m.json" } as const;

test("a command says where the fork begins, its id and its change", () => {
  expect(forkCommand(FORKING)).toBe("agentlog fork t --at 3");
  expect(forkCommand({ ...FORKING, as: "u", change: "drop" })).toBe(
    "agentlog fork t --at 3 --as u --drop 3",
  );
  expect(forkCommand({ ...FORKING, change: "replace", file: "my file.json" })).toBe(
    "agentlog fork t --at 3 --replace '3=my file.json'",
  );
  expect(forkCommand({ ...FORKING, change: "insert" })).toBe(
    "agentlog fork t --at 3 --insert 3=m.json",
  );
});

test("an id that looks like an option is none, and one that looks like a folder stays as it is", () => {
  expect(forkCommand({ ...FORKING, threadId: "--help" })).toBe("agentlog fork --at 3 -- --help");
  expect(forkCommand({ ...FORKING, threadId: "~root" })).toBe("agentlog fork '~root' --at 3");
});

test("a shell reads a quoted text as it was", () => {
  const odd = [
    "a b",
    "it's",
    "$HOME",
    "`id`",
    "~",
    "*",
    "a\\b",
    '"',
    "!x",
    "",
    "\n",
    "#",
    "é;&|<>()",
  ];
  const script = odd.map((text) => `printf '%s\\0' ${quote(text)};`).join("");
  const read = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
  expect(read.slice(0, -1)).toEqual(odd);
});
