import { useMemo } from "react";
import { cost, count, duration } from "../../parts/format";
import type { ThreadTimeline } from "../timeline/timeline";
import type { Course } from "./course";
import styles from "./Travel.module.css";

interface FiguresProps {
  readonly at: number;
  readonly last: number;
  readonly timeline: ThreadTimeline;
  readonly course: Course;
}

/** Counts and sums up to the cursor. */
export function Figures({ at, last, timeline, course }: FiguresProps) {
  const counts = useMemo(() => timeline.counts(at), [timeline, at]);
  const elapsed = course.isTimed ? course.times[at] : null;
  return (
    <dl className={styles["figures"]} aria-label="Up to here">
      <Figure name="version" value={`${count(at)} of ${count(last)}`} />
      <Figure name="step" value={count(counts.steps)} />
      <Figure name="elapsed" value={duration(elapsed)} />
      <Figure name="tokens" value={count(counts.tokens)} />
      <Figure name="cost" value={cost(counts.costUsd, counts.computedCalls)} />
    </dl>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
