import { expect, test } from "vitest";
import { lastCopied } from "./lastCopied";

test("the last copy is found wherever it is, with few reads", async () => {
  for (let last = 1; last <= 20; last += 1) {
    for (let copied = 1; copied <= last; copied += 1) {
      for (const guess of [0, copied, 9, 40]) {
        let reads = 0;
        const areCopies = (after: number): Promise<boolean[]> => {
          reads += 1;
          const versions = [after + 1, after + 2].filter((version) => version <= last);
          return Promise.resolve(versions.map((version) => version > 1 && version <= copied));
        };
        expect(await lastCopied(last, guess, areCopies)).toBe(copied);
        expect(reads).toBeLessThanOrEqual(guess === copied && copied > 1 ? 1 : 6);
      }
    }
  }
});
