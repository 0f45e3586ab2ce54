import { expect, test } from "vitest";
import { ExactNumber } from "../api/exact";
import { cellText, figure } from "./figures";

const column = (name: string, unit: string | null) => ({ name, unit, comment: "" });

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
