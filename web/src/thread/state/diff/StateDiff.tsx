import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { Failure } from "../../../parts/Failure";
import { useCursor } from "../../cursor";
import { stateQuery } from "../../queries";
import { DiffTree } from "./DiffTree";
import { diffTree } from "./difference";
import styles from "../state.module.css";

/** The states at two versions as one tree: the run's own, and the kernel's. */
export function StateDiff({ from, to }: { from: number; to: number }) {
  const { threadId } = useCursor();
  const queries = useQueries({
    queries: [from, to].flatMap((version) => [
      stateQuery(threadId, version, "run-state?texts=true"),
      stateQuery(threadId, version, "agent-state?history=false"),
    ]),
  });
  const [run, kernel, runAfter, kernelAfter] = queries.map(({ data }) => data);
  const node = useMemo(
    () =>
      run && kernel && runAfter && kernelAfter
        ? diffTree("", { ...run, ...kernel }, { ...runAfter, ...kernelAfter })
        : null,
    [run, kernel, runAfter, kernelAfter],
  );
  const error = queries.find((query) => query.error !== null)?.error ?? null;
  if (error !== null) return <Failure error={error} />;
  if (node === null) return <p className="loading">Comparing…</p>;
  if (node.kind === "same") return <p className={styles["note"]}>The state is the same.</p>;
  return (
    <div
      className={styles["scroller"]}
      tabIndex={0}
      role="region"
      aria-label="Differences of the state"
    >
      <DiffTree node={node} />
    </div>
  );
}
