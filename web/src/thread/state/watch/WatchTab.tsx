import { Failure } from "../../../parts/Failure";
import { useCursor } from "../../cursor";
import { ExpressionForm } from "./ExpressionForm";
import styles from "../state.module.css";
import { together, useStates } from "../statePair";
import { WatchCard } from "./WatchCard";

/** Expressions over the state, with their values at the cursor and their changes. */
export function WatchTab() {
  const { address, change } = useCursor();
  const { states, error } = useStates();
  const pair = states === null ? null : together(states);
  const expressions = address.watch ?? [];
  const replace = (index: number, ...by: string[]): void => {
    const watch = expressions.toSpliced(index, 1, ...by);
    change({ watch: watch.length === 0 ? undefined : watch }, { replace: true });
  };
  return (
    <section aria-label="Watch">
      <ExpressionForm
        label="JSONPath to watch"
        action="Watch"
        onSubmit={(expression) => {
          replace(expressions.length, expression);
        }}
      />
      {expressions.length === 0 && (
        <p className={styles["note"]}>
          A JSONPath (RFC 9535) over the state, as <code>$.step_count</code>,{" "}
          <code>$.todos[?@.status != &apos;completed&apos;]</code> or <code>$.files[*].lines</code>:
          of what the run keeps for itself, and of the kernel&apos;s state without its history.
        </p>
      )}
      {error !== null && <Failure error={error} />}
      {pair !== null &&
        expressions.map((expression, index) => (
          <WatchCard
            key={`${index} ${expression}`}
            expression={expression}
            pair={pair}
            onChange={(other) => {
              replace(index, other);
            }}
            onRemove={() => {
              replace(index);
            }}
          />
        ))}
    </section>
  );
}
