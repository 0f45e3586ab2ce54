import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { colourOf, groupOf, nameOf } from "../../parts/kinds";
import { countOf } from "../../parts/format";
import type { Cell, Row } from "./alignment";
import styles from "../compare.module.css";
import { abbreviate, mark, type Piece } from "./marks";
import type { Side } from "../queries";
import { textOf } from "./said";

interface CellsProps {
  readonly row: Row;
  readonly sides: readonly Side[];
  readonly isFirstDifference: boolean;
  /** Whether long texts are shown whole, as far as they came. */
  readonly isLong: boolean;
  readonly onLong: () => void;
}

/** What each side says in a row, with the words marked that differ. */
export function Cells({ row, sides, isFirstDifference, isLong, onLong }: CellsProps) {
  const texts = useMemo(() => marksOf(row), [row]);
  const short = texts.map((pieces) => (pieces === null ? null : abbreviate(pieces)));
  const isCut = short.some((pieces) => pieces !== null);
  const [sign, meaning] = signOf(row);
  return (
    <>
      <div
        role="cell"
        className={`${styles["sign"] ?? ""} ${row.isEqual ? "" : (styles["differs"] ?? "")}`}
        title={meaning}
      >
        <span aria-hidden="true">{sign}</span>
        <span className="hidden">
          {isFirstDifference ? `first difference, ${meaning}` : meaning}
        </span>
      </div>
      {row.cells.map((cell, column) => {
        const side = sides[column];
        if (cell === null || side === undefined) {
          return (
            <div key={column} role="cell" className={styles["absent"]}>
              <span className="hidden">nothing here</span>
            </div>
          );
        }
        const pieces = texts[column] ?? [];
        return (
          <div
            key={column}
            role="cell"
            className={`${styles["cell"] ?? ""} ${row.isEqual ? (styles["equal"] ?? "") : ""}`}
          >
            <CellHeading cell={cell} threadId={side.threadId} count={row.count} />
            <Words pieces={isLong ? pieces : (short[column] ?? pieces)} isFirst={column === 0} />
            {isCut && column === 0 && (
              <button type="button" className="quiet" aria-expanded={isLong} onClick={onLong}>
                {isLong ? "Show less" : "Show more"}
              </button>
            )}
            {isLong && cell.item?.cut === true && (
              <small>The rest is in the thread, at its version.</small>
            )}
          </div>
        );
      })}
    </>
  );
}

function CellHeading({ cell, threadId, count }: { cell: Cell; threadId: string; count: number }) {
  const version = Number(cell.place.split(".")[0]);
  const { item } = cell;
  return (
    <div className={styles["heading"]}>
      {item === null ? (
        <span>{countOf(count, "equal step")} from here</span>
      ) : (
        <>
          <span style={{ color: colourOf(groupOf(item.type)) }}>{nameOf(item.type)}</span>
          {item.tools.length > 0 && <code>{item.tools.join(", ")}</code>}
        </>
      )}
      {version > 0 && (
        <Link
          to="/threads/$threadId"
          params={{ threadId }}
          search={{ at: version }}
          aria-label={`${threadId} at version ${version}`}
        >
          {version}
        </Link>
      )}
    </div>
  );
}

function Words({ pieces, isFirst }: { pieces: readonly Piece[]; isFirst: boolean }) {
  const Mark = isFirst ? "del" : "ins";
  return (
    <div className={styles["words"]}>
      {pieces.map(({ text, isMarked }, index) =>
        isMarked ? <Mark key={index}>{text}</Mark> : <span key={index}>{text}</span>,
      )}
    </div>
  );
}

function marksOf({ cells, isEqual }: Row): (Piece[] | null)[] {
  const texts = cells.map((cell) => (cell?.item == null ? null : textOf(cell.item)));
  const [first, ...others] = texts;
  if (isEqual || first === null || first === undefined) return texts.map(plain);
  return mark(first, others);
}

function plain(text: string | null): Piece[] | null {
  return text === null ? null : [{ text, isMarked: false }];
}

function signOf({ isEqual, cells }: Row): [sign: string, meaning: string] {
  if (isEqual) return ["=", "equal"];
  if (cells[0] === null) return ["+", "not in the first thread"];
  if (cells.slice(1).every((cell) => cell === null)) return ["−", "only in the first thread"];
  return ["≠", "differs"];
}
