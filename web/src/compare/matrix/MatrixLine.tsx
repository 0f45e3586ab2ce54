import { Link } from "@tanstack/react-router";
import type { CSSProperties } from "react";
import { countOf } from "../../parts/format";
import { colourOf, groupOf } from "../../parts/kinds";
import type { MatrixColumn } from "../queries";
import { letterOf, type Line, nameOfColumn } from "./cells";
import styles from "./matrix.module.css";

interface MatrixLineProps {
  readonly line: Line;
  readonly columns: readonly MatrixColumn[];
  /** The chosen column, in the line where the cursor is; else null. */
  readonly chosen: number | null;
  /** Id of the chosen cell. */
  readonly chosenId: string;
  readonly onOpen: (column: number) => void;
}

/** A run with its steps, or the heading of the runs of one verdict. */
export function MatrixLine({ line, columns, chosen, chosenId, onOpen }: MatrixLineProps) {
  if (line.verdict !== undefined) {
    return (
      <span role="rowheader">
        {countOf(line.runs, "run")}{" "}
        {line.verdict === "unknown" ? "of unknown result" : line.verdict}
      </span>
    );
  }
  const { threadId, verdict, cells } = line.row;
  const isEmpty = chosen !== null && !cells.some(({ column }) => column === chosen);
  return (
    <>
      <span role="rowheader" className={styles["run"]} data-verdict={verdict}>
        <Link to="/threads/$threadId" params={{ threadId }} tabIndex={-1} title={threadId}>
          {threadId}
        </Link>
      </span>
      {cells.map(({ column, version, variant, word }) => {
        const step = columns[column];
        if (step === undefined) return null;
        const name = nameOfColumn(step);
        const said = `${name} ${letterOf(variant)}${word === null ? "" : `, ${word}`}, version ${version}`;
        return (
          <span
            key={column}
            id={column === chosen ? chosenId : undefined}
            role="gridcell"
            aria-colindex={column + 2}
            aria-label={said}
            aria-selected={column === chosen}
            title={`${said}: press to open`}
            className={styles["cell"]}
            data-word={word ?? undefined}
            data-most={variant === 0}
            style={{ "--column": column, "--group": colourOf(groupOf(step.type)) } as CSSProperties}
            onClick={() => {
              onOpen(column);
            }}
          >
            {letterOf(variant)}
          </span>
        );
      })}
      {isEmpty && (
        <span
          id={chosenId}
          role="gridcell"
          aria-colindex={chosen + 2}
          aria-label="no such step"
          aria-selected
          className={styles["cell"]}
          data-empty="true"
          style={{ "--column": chosen } as CSSProperties}
        />
      )}
    </>
  );
}
