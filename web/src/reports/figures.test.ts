import { expect, test } from "vitest";
import { ExactNumber } from "../api/exact";
import { cellText, figure, figureIn, heading, unitText, words } from "./figures";

const column = (name: string, unit: string | null) => ({ name, unit, comment: "", computed: null });

test("a figure reads as its unit says, and a missing one is a dash", () => {
  expect(figure(0.4038, column("error_rate", "share"))).toBe("40.4%");
  expect(figure(48_642, column("latency", "ms"))).toBe("49 s");
  expect(figure(1234, column("calls", "calls"))).toBe("1,234");
  expect(figure(0.00141, column("cost_usd", "USD"))).toBe("$0.0014");
  expect(figure(null, column("calls", "calls"))).toBe("–");
});

test("answers of SQL keep their digits", () => {
  expect(cellText(new ExactNumber("1.10"))).toBe("1.10");
  expect(cellText([1, new ExactNumber("2.0")])).toBe("[1,2.0]");
  expect(cellText("text")).toBe("text");
});

test("a figure of which a part is computed has a ~", () => {
  const usd = { ...column("cost_usd", "USD"), computed: "computed_calls" };
  const row = (computed: number) => ({ cost_usd: 0.5, computed_calls: computed });
  expect(figureIn(row(1), usd)).toBe("~$0.5000");
  expect(figureIn(row(0), usd)).toBe("$0.5000");
  expect(figureIn({ cost_usd: null, computed_calls: 2 }, usd)).toBe("–");
});

test("a heading does not say its unit twice", () => {
  expect(unitText(column("calls", "calls"))).toBe("");
  expect(unitText(column("input_tokens", "tokens"))).toBe("");
  expect(unitText(column("answered", "calls"))).toBe("calls");
});

test("headings are words without a unit that the figures have", () => {
  expect(["cost_usd", "latency_p95_ms", "stated", "metadata.team_id"].map(heading)).toEqual([
    ...["Cost", "Latency p95", "Reported", "metadata.team_id"],
  ]);
  expect(words("input_tokens")).toBe("input tokens");
});
