import { expect, test } from "vitest";
import { foldOf } from "#page/thread/history/folding";

test("what Inspect's harness did is machinery, what it scored is not", () => {
  expect(["inspect.span_begin", "inspect.state"].map(foldOf)).toEqual(["machinery", "machinery"]);
  expect(foldOf("inspect.score")).toBeNull();
});
