import { count } from "../../../parts/format";
import styles from "../history.module.css";
import { nameOf } from "../../../parts/kinds";
import { type Row, typesIn } from "../rows";
import { hasTurn } from "../turns";

interface FoldRowProps {
  readonly row: Row;
  readonly at: number;
  readonly typeOf: (version: number) => string | null;
  readonly onToggle: () => void;
}

/** A run of folded events: how many of which type, and the way to see them. */
export function FoldRow({ row, at, typeOf, onToggle }: FoldRowProps) {
  const isOpen = row.isOpen === true;
  const types = typesIn(row, typeOf).map(
    ([type, n]) => `${count(n)} ${n === 1 ? "" : "× "}${nameOf(type)}`,
  );
  const isHere = !isOpen && row.first <= at && at <= row.last;
  return (
    <button
      type="button"
      className={styles["fold"]}
      aria-expanded={isOpen}
      aria-current={isHere}
      data-turn={hasTurn(row, typeOf)}
      onClick={onToggle}
    >
      <span className={styles["version"]}>{isOpen ? "▾" : "▸"}</span>
      {types.join(", ")} folded
      {isHere && ` · at ${count(at)}, ${nameOf(typeOf(at) ?? "event")}`}
    </button>
  );
}
