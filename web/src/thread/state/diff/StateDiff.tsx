import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Failure } from "../../../parts/Failure";
import { useCursor } from "../../cursor";
import { stateQuery } from "../../queries";
import { DiffTree } from "./DiffTree";
import { diffTree } from "./difference";
import styles from "../state.module.css";

/** The states at two versions as one tree. */
export function StateDiff({ from, to }: { from: number; to: number }) {
  const { threadId } = useCursor();
  const before = useQuery(stateQuery(threadId, from));
  const after = useQuery(stateQuery(threadId, to));
  const node = useMemo(
    () =>
      before.data === undefined || after.data === undefined
        ? null
        : diffTree("", before.data, after.data),
    [before.data, after.data],
  );
  const error = before.error ?? after.error;
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
