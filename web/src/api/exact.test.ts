import { describe, expect, test } from "vitest";
import { ExactNumber, parseExact, printExact } from "./exact";

describe("numbers keep their digits", () => {
  test.each(["12345678901234567890", "1.10", "1e400", "-0", "0.1000000000000000055", "1E2"])(
    "%s",
    (digits) => {
      const parsed = parseExact(`{"n":[${digits}]}`);
      expect(parsed).toEqual({ n: [new ExactNumber(digits)] });
      expect(printExact(parsed)).toBe(`{"n":[${digits}]}`);
      expect(printExact(parseExact(digits))).toBe(digits);
    },
  );

  test.each(["0", "-17", "3.25", "9007199254740991"])("%s is a plain number", (digits) => {
    expect(parseExact(`[${digits}, 1e9]`)).toEqual([Number(digits), new ExactNumber("1e9")]);
  });
});

test("texts that look like long numbers stay texts", () => {
  expect(parseExact('{"id":"12345678901234567890"}')).toEqual({ id: "12345678901234567890" });
});
