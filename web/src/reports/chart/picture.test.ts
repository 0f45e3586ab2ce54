import { expect, test } from "vitest";
import { pictureOf } from "./picture";

const table = (
  rows: Record<string, unknown>[],
  by: string[],
  columns: string[],
  time?: string,
) => ({
  length: rows.length,
  by,
  columns,
  time,
  value: (row: number, column: string) => rows[row]?.[column],
});

test("each column is a series over the rows", () => {
  const rows = [
    { tool: "book", calls: 3, failed: null },
    { tool: null, calls: 1, failed: 1 },
  ];
  expect(pictureOf(table(rows, ["tool"], ["calls", "failed"]))).toEqual({
    kind: "bar",
    labels: ["book", "–"],
    series: [
      { name: "calls", column: "calls", values: [3, 1] },
      { name: "failed", column: "failed", values: [null, 1] },
    ],
    isCut: false,
  });
});

test("beside a time the other names are series, with gaps where a day has none", () => {
  const rows = [
    { day: "1", model: "a", calls: 1 },
    { day: "1", model: "b", calls: 2 },
    { day: "2", model: "b", calls: 3 },
  ];
  const picture = pictureOf(table(rows, ["day", "model"], ["calls"], "day"));
  expect(picture.labels).toEqual(["1", "2"]);
  expect(picture.series).toEqual([
    { name: "a", values: [1, null] },
    { name: "b", values: [2, 3] },
  ]);
});

test("bars beyond sixty are left out, and that is said", () => {
  const rows = Array.from({ length: 61 }, (_, index) => ({ tool: `t${index}`, calls: index }));
  const picture = pictureOf(table(rows, ["tool"], ["calls"]));
  expect(picture.labels).toHaveLength(60);
  expect(picture.isCut).toBe(true);
});

test("a chart is given no character that acts or hides", () => {
  const rows = [{ day: "\u202e1", model: "a\u0000", calls: 1 }];
  const picture = pictureOf(table(rows, ["day", "model"], ["calls"], "day"));
  expect(picture.labels).toEqual(["⟨U+202E⟩1"]);
  expect(picture.series).toEqual([{ name: "a⟨U+0000⟩", values: [1] }]);
});

test("one day alone is a bar, not a line of one dot", () => {
  const alone = table([{ day: "1", calls: 1 }], ["day"], ["calls"], "day");
  expect(pictureOf(alone).kind).toBe("bar");
});
