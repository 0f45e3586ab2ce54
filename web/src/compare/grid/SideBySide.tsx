import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { Failure } from "../../parts/Failure";
import styles from "../compare.module.css";
import { type OpenFolds, toggleFold } from "./folding";
import { Grid } from "./Grid";
import { Parting } from "./Parting";
import { Toolbar } from "./Toolbar";
import { useComparison } from "./useComparison";

/** Two or more threads side by side, from the row where they first differ. */
export function SideBySide({ threads }: { threads: readonly string[] }) {
  const comparison = useComparison(threads);
  const { page, error, rows, hasMore, readMore, first, current, step, goToFirst } = comparison;
  const [openFolds, setOpenFolds] = useState<OpenFolds>(new Set<number>());
  const toggleAll = (): void => {
    setOpenFolds((before) => (before === "all" ? new Set<number>() : "all"));
  };
  useShortcuts("Compare", [
    { key: "n", does: "go to the next difference", run: () => void step(1) },
    { key: "p", does: "go to the previous difference", run: () => void step(-1) },
    { key: "d", does: "go to the first difference", run: goToFirst },
    { key: "f", does: "unfold or fold equal steps", run: toggleAll },
  ]);
  return (
    <main className={`screen ${styles["comparing"] ?? ""}`}>
      <h1 className="hidden">Compare</h1>
      <Toolbar
        threads={threads}
        comparison={comparison}
        isUnfolded={openFolds === "all"}
        onUnfold={toggleAll}
      />
      {error !== null && (
        <>
          <Failure error={error} />
          <LeaveOut threads={threads} />
        </>
      )}
      {page === undefined && error === null && <p className="loading">Comparing…</p>}
      {page !== undefined && (
        <>
          <Parting {...{ page, rows, current, hasMore }} onGo={goToFirst} />
          <Grid
            {...{ threads, rows, first, current, openFolds }}
            sides={page.sides}
            onOpen={(row) => {
              setOpenFolds((before) => toggleFold(before, row, rows));
            }}
            onNear={readMore}
          />
        </>
      )}
    </main>
  );
}

/** Links that compare without one of the threads: one that is not there stops all. */
function LeaveOut({ threads }: { threads: readonly string[] }) {
  return (
    <p>
      Leave out{" "}
      {threads.map((threadId) => (
        <Link
          key={threadId}
          className="badge"
          to="/compare"
          search={{ thread: threads.filter((other) => other !== threadId) }}
        >
          {threadId}
        </Link>
      ))}
    </p>
  );
}
