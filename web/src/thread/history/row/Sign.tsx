import type { Group } from "../../../parts/kinds";
import styles from "../history.module.css";

/** The icon of each group, as an SVG path in a view box of 16 by 16. */
const PATHS: Record<Group, string> = {
  user: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 6c.4-3 2.6-4.5 5.5-4.5s5.1 1.5 5.5 4.5",
  agent: "M2.5 3h11v8h-6l-3 3v-3h-2Z",
  thought: "M5.5 10.5a4 4 0 1 1 5 0V12h-5ZM6.5 14h3",
  tool: "M10.5 2a3.5 3.5 0 0 0-3.3 4.7L2.3 11.6a1.5 1.5 0 0 0 2.1 2.1l4.9-4.9A3.5 3.5 0 0 0 14 5.5l-2 2-2-.5-.5-2 2-2a3.5 3.5 0 0 0-1-1Z",
  model:
    "M4.5 4.5h7v7h-7ZM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
  person: "M8 1.5l5 2v4c0 3.5-2 5.7-5 7-3-1.3-5-3.5-5-7v-4ZM5.5 8l2 2 3-3.5",
  worker: "M4.5 2v7a2.5 2.5 0 0 0 2.5 2.5h5M9.5 9l2.5 2.5L9.5 14",
  score: "M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5Z",
  state:
    "M3 4.5c0-1 2.2-2 5-2s5 1 5 2v7c0 1-2.2 2-5 2s-5-1-5-2Zm0 0c0 1 2.2 2 5 2s5-1 5-2M3 8c0 1 2.2 2 5 2s5-1 5-2",
  note: "M3.5 4.5h9M3.5 8h9M3.5 11.5h5",
  bad: "M8 2l6.5 11.5h-13ZM8 6.5v3.5M8 11.5v.5",
  fact: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 7.5v3M8 5.2v.3",
};

/** The icon of a group of events. */
export function Sign({ group }: { group: Group }) {
  return (
    <svg className={styles["sign"]} viewBox="0 0 16 16" aria-hidden>
      <path d={PATHS[group]} />
    </svg>
  );
}
