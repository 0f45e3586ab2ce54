import { expect, test } from "vitest";
import { answersIn, partsOf, replayText, wayOf } from "./answers";

const PAYLOAD = {
  exact: 1,
  normalised: 0,
  outputs: 1,
  given: 0,
  liveCalls: 2,
  answers: [
    { request: 1, by: "exact", attempt: 1, messages: ["a", "b"] },
    {
      ...{ request: 2, by: "outputs", attempt: 2, messages: ["c"] },
      ...{ place: "items[3]", recorded: '"19"', asked: '"21"' },
    },
    { request: 3, by: "live", attempt: 3, messages: [] },
  ],
  unmatched: [{}],
  unused: [1],
};

test("answers say how they were found, and where their requests differed", () => {
  const [exact, outputs, live] = answersIn(PAYLOAD);
  expect(exact).toEqual({ request: 1, by: "exact", difference: null, messages: ["a", "b"] });
  expect(outputs?.difference).toEqual({ place: "items[3]", recorded: '"19"', requested: '"21"' });
  expect(live?.by).toBe("live");
});

test("a report of before has counts and no answers", () => {
  const { answers, ...old } = PAYLOAD;
  expect(answers).toHaveLength(3);
  expect(answersIn(old)).toEqual([]);
  expect(answersIn(undefined)).toEqual([]);
});

test("a replay is counted by how its requests were answered", () => {
  expect(replayText(PAYLOAD)).toBe(
    "1 exact, 1 tool output differs, 2 live, 1 not on the tape, 1 answer not used",
  );
  expect(replayText({ exact: 3, liveCalls: 0 })).toBe("3 exact, 0 live");
  expect(replayText(undefined)).toBe("");
});

test("a way that this page does not know is called what the report calls it", () => {
  expect(wayOf("given").name).toBe("put in");
  expect(wayOf("constructor").name).toBe("constructor");
});

test("what both forms share stands before and after what differs", () => {
  const parts = (recorded: string, requested: string) =>
    partsOf({ place: "", recorded, requested });
  expect(parts("it is 19 now", "it is 21 now")).toEqual({
    ...{ before: "it is ", recorded: "19", requested: "21", after: " now" },
  });
  expect(parts("aa", "aaa")).toEqual({ before: "aa", recorded: "", requested: "a", after: "" });
  expect(parts("", "x")).toEqual({ before: "", recorded: "", requested: "x", after: "" });
});
