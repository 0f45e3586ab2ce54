import { type Answer, type Difference, partsOf, wayOf } from "./answers";
import styles from "./replays.module.css";

const COLOURS: Readonly<Record<string, string>> = {
  exact: "ok",
  normalised: "ok",
  outputs: "warn",
  live: "accent",
  given: "accent",
};

/** How an answer of a replay was found, as a label. */
export function AnswerMark({ by }: { by: string }) {
  const { name, meaning } = wayOf(by);
  return (
    <span className={`badge ${COLOURS[by] ?? ""}`} title={meaning}>
      {name}
    </span>
  );
}

/** How an answer of a replay was found, and where its request was not equal to the recorded one. */
export function Answered({ answer: { by, difference } }: { answer: Answer }) {
  return (
    <section className={styles["answered"]} aria-label="How it was answered">
      <p>
        <AnswerMark by={by} /> {wayOf(by).meaning}
      </p>
      {difference !== null && <DifferenceShown difference={difference} />}
    </section>
  );
}

/** The first place where a request differs from the recorded one, in both forms. */
export function DifferenceShown({ difference }: { difference: Difference }) {
  const { before, recorded, requested, after } = partsOf(difference);
  return (
    <dl className={styles["difference"]}>
      <dt>First difference</dt>
      <dd>
        <code>{difference.place}</code>
      </dd>
      <dt>Recorded</dt>
      <dd className={styles["form"]}>
        {before}
        <del>{recorded}</del>
        {after}
      </dd>
      <dt>Now</dt>
      <dd className={styles["form"]}>
        {before}
        <ins>{requested}</ins>
        {after}
      </dd>
    </dl>
  );
}
