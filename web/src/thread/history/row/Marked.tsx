import type { Hit } from "../../hits";

type Excerpt = Hit["excerpts"][number];

/** An excerpt of a message with the found text marked. */
export function Marked({ excerpt }: { excerpt: Excerpt }) {
  const signs = Array.from(excerpt.text); // the ranges count characters, not units of UTF-16
  const parts = [];
  let done = 0;
  for (const [from, to] of excerpt.ranges) {
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
