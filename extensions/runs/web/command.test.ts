import { expect, test } from "vitest";
import { forkRunCommand } from "./command";

const PLACE = { threadId: "t", at: 3, as: "" };

test("a recorded agent is run again from a version, its command as it was typed", () => {
  expect(forkRunCommand(PLACE, "", "")).toBe("agentlog fork-run t --from 3 -- COMMAND");
  expect(forkRunCommand({ ...PLACE, as: "u" }, "a model", "python agent.py 'x y'")).toBe(
    "agentlog fork-run t --from 3 --model 'a model' --as u -- python agent.py 'x y'",
  );
  expect(forkRunCommand({ ...PLACE, threadId: "-t" }, "", "run")).toBe(
    "agentlog fork-run --from 3 -- -t run",
  );
});
