import { expect, test } from "vitest";
import { itemChanges } from "./itemChanges";

test("changes come by their places, as numbers", () => {
  const changes = itemChanges({
    added: [
      { place: "10.0", item: 1 },
      { place: "9.2", item: 2 },
    ],
    changed: [{ place: "9.10", before: 1, after: 2 }],
    removed: [{ place: "9.2", item: 3 }],
  });
  expect(changes.map(({ kind, place }) => `${kind} ${place}`)).toEqual([
    "removed 9.2",
    "added 9.2",
    "changed 9.10",
    "added 10.0",
  ]);
});
