import type { Hit } from "../../hits";

type Excerpt = Hit["excerpts"][number];

/** Characters before the first hit: more would push it out of the row. */
const BEFORE = 6;

/** An excerpt of a message with the found text marked, from shortly before it; or a value. */
export function Marked({ excerpt }: { excerpt: Excerpt }) {
  if (excerpt.ranges.length === 0) {
    return (
      <>
        <mark>{excerpt.place}</mark> {excerpt.text}
      </>
    );
  }
  const signs = Array.from(excerpt.text); // the ranges count characters, not units of UTF-16
  const parts = [];
  const begin = Math.max(0, (excerpt.ranges[0]?.[0] ?? 0) - BEFORE);
  if (begin > 0) parts.push("…");
  let done = begin;
  for (const [from = 0, to = 0] of excerpt.ranges) {
    parts.push(signs.slice(done, from).join(""));
    parts.push(<mark key={from}>{signs.slice(from, to).join("")}</mark>);
    done = to;
  }
  return (
    <>
      {parts}
      {signs.slice(done).join("")}
    </>
  );
}
